/// Why something that proves who we are cannot be kept or read.
public struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
  public struct Code: Sendable, Hashable {
    private let name: String

    /// Empty, or with characters in it that cannot be sent.
    public static let notAToken = Code(name: "notAToken")
    /// A cookie file without one of ours for the server's host.
    public static let noCookies = Code(name: "noCookies")
    /// Others may read the file.
    public static let readableByOthers = Code(name: "readableByOthers")
    /// It belongs to somebody else, or is no regular file.
    public static let notOurs = Code(name: "notOurs")
    /// The disk refused.
    public static let disk = Code(name: "disk")
    /// The keyring is there but locked, and nobody was asked, or nobody opened it.
    public static let locked = Code(name: "locked")
    /// No Secret Service answers.
    public static let noService = Code(name: "noService")
  }

  public let code: Code
  /// A sentence for a person. Never holds what was to be kept.
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

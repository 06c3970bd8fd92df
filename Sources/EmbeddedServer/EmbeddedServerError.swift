/// Why the embedded server could not start, or a folder not be served.
public struct EmbeddedServerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What went wrong. New codes may come; handle the rest by the sentence.
  public struct Code: Sendable, Hashable {
    private let name: String

    /// The folder to serve is not there, or is not a folder.
    public static let folderMissing = Code(name: "folderMissing")
    /// The folder is there but may not be read.
    public static let folderUnreadable = Code(name: "folderUnreadable")
    /// The bundled library is not where it was installed.
    public static let demoMissing = Code(name: "demoMissing")
    /// Another program listens on the port.
    public static let portInUse = Code(name: "portInUse")
    /// The port may not be listened on by this user.
    public static let portRefused = Code(name: "portRefused")
    /// `start` was called on a server that runs or has run.
    public static let alreadyStarted = Code(name: "alreadyStarted")
    /// The system refused something else.
    public static let system = Code(name: "system")
  }

  public let code: Code
  /// A sentence for a person.
  public let description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

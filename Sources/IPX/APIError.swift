import Reactor

/// Why the server's answer is none. `description` says what came, as a sentence for a person.
public struct APIError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    /// Sign in again.
    case signedOut
    /// Not reached, or something else answers in its place, or it is in trouble: try again later.
    case offline
    /// The server is there and says no to this one thing: asking again will not help.
    case refused
    case notFound
    /// An answer larger than can be meant.
    case tooLarge
  }

  public var code: Code
  public var description: String
  /// How long the server asked to be left alone.
  public var retryAfter: Duration?

  public init(_ code: Code, _ description: String, retryAfter: Duration? = nil) {
    self.code = code
    self.description = description
    self.retryAfter = retryAfter
  }
}

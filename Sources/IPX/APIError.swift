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
  /// Of the answer; nil where there was none, or it was no answer of the API's.
  public var status: Int?

  public init(_ code: Code, _ description: String, retryAfter: Duration? = nil, status: Int? = nil) {
    self.code = code
    self.description = description
    self.retryAfter = retryAfter
    self.status = status
  }

  /// This is not to be done with what signs us in, or not here at all: it says nothing of the thing itself.
  public var isForbidden: Bool { [401, 403, 405, 501].contains(status) }
  /// The server failed at what it was asked, and did not say that it is to be left alone: other things may do.
  public var isFault: Bool { status.map { $0 >= 500 } ?? false && retryAfter == nil }
}

/// Why an exchange came to nothing. An answer with a status of 400 or more is no error here: it is an answer.
public struct HTTPError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// The name of the host is not known (now).
    case resolve
    /// Nothing answers there, or there is no way there.
    case connect
    /// No trusted connection came about.
    case tls
    /// Nothing came for the idle, connect or total time.
    case timeout
    /// The connection broke before the answer was complete, and no length says how much is missing.
    case reset
    /// The body ended before the length that was announced.
    case short
    /// More than the request's limit, or a loop.
    case tooManyRedirects
    /// To something that is not http(s), or with a body to a stranger.
    case refusedRedirect
    /// More than the request's `maximumBody`.
    case tooLarge
    /// Not an address that can be asked.
    case badURL
    /// What came is not HTTP.
    case protocolError
    /// The body is not packed in the way that its head says.
    case packing
    /// By us.
    case cancelled
  }

  public var code: Code
  /// A sentence for a person that names the host and what came; never a credential, never a whole address.
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  static let cancelled = HTTPError(.cancelled, "The request was called off.")
}

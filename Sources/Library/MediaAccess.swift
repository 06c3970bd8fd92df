import IPX
import Media

/// The media module as the library uses it: bytes of an enclosure from the network or from a file, and one file fetched to be kept.
public protocol MediaAccess: Sendable {
  /// Starts nothing yet. `bytes` is what the feed says of its length: a hint.
  func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource
  func file(_ path: String) throws(LibraryError) -> any ByteSource
  /// Fetches `url` into `path`, by way of partial files beside it (`Download.partialNames`), which it resumes; complete and checked when it
  /// returns, the file then under its own name. `progress` may be called often.
  func fetch(
    url: String, client: APIClient, to path: String, progress: @escaping @Sendable (_ held: Int64, _ total: Int64?) -> Void
  ) async throws(KeepError) -> Int64
}

/// Why a file could not be fetched.
public struct KeepError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable {
    /// Try again when the network is back.
    case offline
    case signedOut
    /// Trying again will not help.
    case refused
    case diskFull
    case cancelled
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

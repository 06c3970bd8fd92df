/// The bytes of one media file, wherever they come from: the network through the range store, a kept file, a foreign URL.
///
/// Used by one decoder thread at a time. `read` blocks that thread (never call it on an actor); everything else returns at
/// once and may be called from anywhere.
public protocol ByteSource: AnyObject, Sendable {
  /// The whole length in bytes: from Content-Range of a 206 or Content-Length of a 200, or a file's size. Nil until known, and
  /// for ever where the server never says.
  var length: Int64? { get }

  /// Bytes can be read at any offset without reading what lies before (the server does Range, or all is held).
  var isSeekable: Bool { get }

  /// Bytes anywhere can be had, and had again, if only by reading on to them or by beginning anew and passing all that lies before: slow, but
  /// a place can be sought. Else only in order, and once.
  var isRepeatable: Bool { get }

  /// Bytes held contiguously from `offset` on. What can still be had without the network.
  func held(from offset: Int64) -> Int64

  /// Fills up to `buffer.count` bytes from `offset`, waiting until at least one is there. 0 is the end of the file.
  /// Buffered bytes are always given out before an error is.
  /// - Throws: `ByteSourceError`. After `.interrupted` the source is as usable as before.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int

  /// Makes the present and every later `read` throw `.interrupted`, until `resume`.
  func interrupt()
  func resume()

  /// How far ahead of the last read to fetch, in bytes. The source fetches again when less than half is left, in one request.
  func setReadAhead(_ bytes: Int64)

  /// Ends all transfers. Later reads throw `.closed`.
  func close()

  /// A second reader of the very same bytes, at a place of its own, with its own transfers. Nil: there can be none.
  func another() -> (any ByteSource)?
}

extension ByteSource {
  public var isRepeatable: Bool { isSeekable }
  public func another() -> (any ByteSource)? { nil }
}

/// Why bytes could not be had. A sentence for the listener is in `description`.
public struct ByteSourceError: Error, Sendable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    /// `interrupt` was called: not a fault.
    case interrupted
    /// `close` was called.
    case closed
    /// The server cannot be reached for now; the source goes on trying by itself, the reader may call again.
    case offline
    /// The server wants a new sign-in.
    case signedOut
    /// 404, 410, a refusal: trying again will not help.
    case gone
    /// What came is not media at all (HTML, plain text, nothing).
    case notMedia
    /// The file is another one than at the first request (ETag or length changed): start the buffer anew, keep the place.
    case changed
    /// The local file cannot be read.
    case unreadable
  }

  public var code: Code
  public var description: String
  /// Of `.offline`: nothing came that says why; waiting longer may help.
  public var isSilence: Bool

  public init(_ code: Code, _ description: String, isSilence: Bool = false) {
    self.code = code
    self.description = description
    self.isSilence = isSilence
  }
}

import Reactor

extension FaultServer {
  /// What is served: so many bytes, given by their places.
  public struct Content: Sendable {
    public var length: Int64
    /// Fills the buffer with the bytes from that offset on.
    public var fill: @Sendable (Int64, UnsafeMutableRawBufferPointer) -> Void

    public init(length: Int64, fill: @escaping @Sendable (Int64, UnsafeMutableRawBufferPointer) -> Void) {
      self.length = length
      self.fill = fill
    }

    public static func bytes(_ bytes: [UInt8]) -> Content {
      Content(length: Int64(bytes.count)) { offset, buffer in
        for index in 0..<buffer.count { buffer[index] = bytes[Int(offset) + index] }
      }
    }

    /// Bytes that differ from their neighbours near and far, whatever the size: `numbered(at:)` says which stands where. `seed` makes another file.
    public static func numbered(_ length: Int64, seed: UInt64 = 0) -> Content {
      Content(length: length) { offset, buffer in
        for index in 0..<buffer.count { buffer[index] = numbered(at: offset + Int64(index), seed: seed) }
      }
    }

    public static func numbered(at offset: Int64, seed: UInt64 = 0) -> UInt8 {
      // The file begins as an MP3 frame does, so that nothing takes it for text.
      if offset < 4 { return [0xFF, 0xFB, 0x50, 0xC4][Int(offset)] }
      var value = (UInt64(bitPattern: offset) &+ seed &* 0x1000_0000_01) &* 0x9E37_79B9_7F4A_7C15
      value ^= value >> 29
      return UInt8(truncatingIfNeeded: (value &* 0xBF58_476D_1CE4_E5B9) >> 56)
    }
  }

  /// One request as it came, and what has been sent for it so far.
  public struct Request: Sendable {
    /// Counted from 0.
    public var number: Int
    public var method: String
    /// With its query.
    public var path: String
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// True for all but the first request of a connection.
    public var isReused: Bool
    public var bytesSent: Int64 = 0
    /// By `SystemTimekeeper`.
    public let came = SystemTimekeeper().now()

    public func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// `bytes=A-B` or `bytes=A-`.
    public var range: (from: Int64, through: Int64?)? {
      guard let text = header("Range"), text.hasPrefix("bytes="), let dash = text.firstIndex(of: "-") else { return nil }
      guard let from = Int64(text[text.index(text.startIndex, offsetBy: 6)..<dash]) else { return nil }
      return (from, Int64(text[text.index(after: dash)...]))
    }
  }

  /// How one request is answered. `Reply()` is a well-behaved server: Range, If-Range, ETag, keep-alive, 416 beyond the end.
  public struct Reply: Sendable {
    /// Nil: 200 or 206 as the request asks.
    public var status: Int?
    /// Instead of the content; Range does not apply to it.
    public var body: [UInt8]?
    /// Instead of the server's content; Range applies to it.
    public var content: Content?
    /// Added to the head; one of the same name as a usual one replaces it. An empty value takes it away.
    public var headers: [(String, String)] = []
    public var ignoresRange = false
    /// 206 whose bytes begin so much later than asked, told truly in Content-Range.
    public var shift: Int64 = 0
    /// 206 with so many bytes at most, told truly in Content-Range.
    public var atMost: Int64?
    /// A Content-Range that lies.
    public var contentRange: String?
    public var isChunked = false
    /// Neither a length nor chunks: the end of the connection is the end of the body.
    public var isLengthless = false
    /// Content-Encoding gzip, asked for or not; of the whole content.
    public var isGzipped = false
    /// The connection ends after so many body bytes.
    public var cutAfter: Int64?
    /// … by a reset (RST) rather than an end.
    public var isReset = false
    /// After so many body bytes nothing comes any more, until the connection ends.
    public var stallAfter: Int64?
    /// Nothing at all is answered; the connection stays.
    public var isSilent = false
    /// The connection ends without a word.
    public var hangsUp = false
    /// `Connection: close`, and it is.
    public var closes = false
    /// These bytes are the answer, as they are; then the connection ends.
    public var raw: [UInt8]?

    public init() {}

    private static func with(_ change: (inout Reply) -> Void) -> Reply {
      var reply = Reply()
      change(&reply)
      return reply
    }

    public static var well: Reply { Reply() }
    public static var ignoringRange: Reply { with { $0.ignoresRange = true } }
    public static var chunked: Reply { with { ($0.isChunked, $0.ignoresRange) = (true, true) } }
    public static var lengthless: Reply { with { ($0.isLengthless, $0.ignoresRange) = (true, true) } }
    public static var gzipped: Reply { with { ($0.isGzipped, $0.ignoresRange) = (true, true) } }
    /// Plain bytes that are called packed.
    public static var gzippedByNameOnly: Reply { well.adding("Content-Encoding", "gzip") }
    public static var silent: Reply { with { $0.isSilent = true } }
    public static var hangingUp: Reply { with { $0.hangsUp = true } }
    public static var closing: Reply { with { $0.closes = true } }
    public static func cut(after count: Int64, reset: Bool = false) -> Reply {
      with { ($0.cutAfter, $0.isReset) = (count, reset) }
    }
    public static func stall(after count: Int64) -> Reply { with { $0.stallAfter = count } }
    public static func short(_ count: Int64) -> Reply { with { $0.atMost = count } }
    public static func shifted(by count: Int64) -> Reply { with { $0.shift = count } }
    public static func lyingRange(_ text: String) -> Reply { with { $0.contentRange = text } }
    public static func raw(_ text: String) -> Reply { with { $0.raw = Array(text.utf8) } }
    public static func status(_ status: Int, _ text: String = "", retryAfter: String? = nil, type: String = "text/plain") -> Reply
    {
      with {
        ($0.status, $0.body) = (status, Array(text.utf8))
        $0.headers = [("Content-Type", type)] + (retryAfter.map { [("Retry-After", $0)] } ?? [])
      }
    }
    public static func redirect(_ location: String, status: Int = 302) -> Reply {
      with { ($0.status, $0.body, $0.headers) = (status, Array("moved".utf8), [("Location", location)]) }
    }
    public func adding(_ name: String, _ value: String) -> Reply {
      var reply = self
      reply.headers.append((name, value))
      return reply
    }
  }
}

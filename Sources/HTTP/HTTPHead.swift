import Reactor

/// An answer without its body: that of the last request, after all redirects.
public struct HTTPHead: Sendable {
  public var status: Int
  /// In the order they came, names as sent.
  public var headers: [(name: String, value: String)]
  /// Where the answer came from, without user and password.
  public var finalURL: String
  /// Every address asked, the first one first, `finalURL` last.
  public var redirectChain: [String]
  /// When it came.
  public var received: WallTime

  public init(
    status: Int, headers: [(name: String, value: String)] = [], finalURL: String, redirectChain: [String] = [],
    received: WallTime = WallTime(microseconds: 0)
  ) {
    self.status = status
    self.headers = headers
    self.finalURL = finalURL
    self.redirectChain = redirectChain
    self.received = received
  }

  /// The first header of that name, in whatever case.
  public subscript(name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }

  public var setCookies: [SetCookie] {
    headers.filter { $0.name.lowercased() == "set-cookie" }.compactMap { SetCookie($0.value, receivedAt: received) }
  }

  /// How long the server asks us to wait: in seconds or as a date (RFC 9110, 10.2.3); at most a day, never negative.
  public var retryAfter: Duration? {
    guard let text = self["Retry-After"]?.trimmed else { return nil }
    let seconds: Int64
    if let number = Int64(text) {
      seconds = number
    } else if let date = SetCookie.date(String(text)) {
      seconds = (date.microseconds - received.microseconds) / 1_000_000
    } else {
      return nil
    }
    return .seconds(max(0, min(seconds, 86_400)))
  }

  /// The length of the body as announced; nil when it is not, or is not a number.
  public var contentLength: Int64? {
    guard let text = self["Content-Length"]?.trimmed, let length = Int64(text), length >= 0 else { return nil }
    return length
  }

  /// An encoding that the body still had on the wire (it has been undone); nil for none.
  public var contentEncoding: String? {
    guard let encoding = self["Content-Encoding"]?.trimmed.lowercased(), encoding != "identity", !encoding.isEmpty else {
      return nil
    }
    return encoding
  }
}

/// An answer with its whole body.
public struct HTTPResponse: Sendable {
  public var head: HTTPHead
  public var body: [UInt8]

  public init(head: HTTPHead, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  public var status: Int { head.status }
  public var finalURL: String { head.finalURL }
  public var redirectChain: [String] { head.redirectChain }
  public var setCookies: [SetCookie] { head.setCookies }
  public subscript(name: String) -> String? { head[name] }
}

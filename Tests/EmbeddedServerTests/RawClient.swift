import CLinux
import Glibc

/// HTTP over a plain socket, so that the server is tried against what goes over the wire and not against our own client.
/// Blocking, with a limit on every wait: nothing here can hang a test.
final class RawClient {
  struct Answer {
    var status = 0
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  private let descriptor: Int32
  private var received: [UInt8] = []
  private var streamed = ""

  init(port: UInt16, ipv6: Bool = false) throws {
    descriptor = socket(ipv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    guard (ipv6 ? Self.connect6(descriptor, port) : Self.connect4(descriptor, port)) == 0 else {
      throw Broken(description: "connect: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }

  /// One request on a connection of its own; the whole answer.
  static func ask(
    _ port: UInt16, _ method: String = "GET", _ target: String, _ headers: [String: String] = [:], body: String? = nil
  ) throws -> Answer {
    let client = try RawClient(port: port)
    try client.send(method, target, headers.merging(["Connection": "close"]) { a, _ in a }, body: body)
    return try client.answer(head: method == "HEAD")
  }

  func send(_ method: String, _ target: String, _ headers: [String: String] = [:], body: String? = nil) throws {
    var text = "\(method) \(target) HTTP/1.1\r\n"
    if headers["Host"] == nil { text += "Host: localhost\r\n" }
    for (name, value) in headers { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    text += "\r\n" + (body ?? "")
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw Broken(description: "send: \(String(cString: strerror(errno)))") }
      rest = rest.dropFirst(count)
    }
  }

  /// Status line, headers and, by Content-Length or chunks, the body.
  func answer(head: Bool = false) throws -> Answer {
    var answer = try self.head()
    guard !head, answer.status != 204, answer.status != 304 else { return answer }
    if answer.headers["transfer-encoding"] == "chunked" {
      while let chunk = try chunk() { answer.body += chunk }
    } else if let length = answer.headers["content-length"].flatMap({ Int($0) }) {
      answer.body = try take(length)
    }
    return answer
  }

  /// The answer up to its body, which is then read by `chunk` or `take`.
  func head() throws -> Answer {
    var answer = Answer()
    let status = try line().split(separator: " ")
    guard status.count >= 2, let code = Int(status[1]) else { throw Broken(description: "no status line") }
    answer.status = code
    while true {
      let line = try line()
      guard !line.isEmpty else { return answer }
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      answer.headers[line[..<colon].lowercased()] = String(value)
    }
  }

  /// One chunk of a chunked body; nil at its end.
  func chunk() throws -> [UInt8]? {
    guard let size = Int(try line(), radix: 16) else { throw Broken(description: "no chunk size") }
    let bytes = try take(size)
    _ = try line()
    return size == 0 ? nil : bytes
  }

  /// A chunked text up to and with `mark`; what came behind it is the beginning of the next one.
  func text(until mark: String) throws -> String {
    while true {
      if let found = streamed.firstRange(of: mark) {
        defer { streamed = String(streamed[found.upperBound...]) }
        return String(streamed[..<found.upperBound])
      }
      guard let chunk = try chunk() else { throw Broken(description: "ended before “\(mark)”: \(streamed)") }
      streamed += String(decoding: chunk, as: UTF8.self)
    }
  }

  func take(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  private func line() throws -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end].filter { $0 != 13 }, as: UTF8.self)
      }
      try receive()
    }
  }

  private func receive() throws {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else {
      throw Broken(description: count == 0 ? "the server closed" : "recv: \(String(cString: strerror(errno)))")
    }
    received += buffer[..<count]
  }

  private static func connect4(_ descriptor: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func connect6(_ descriptor: Int32, _ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }
}

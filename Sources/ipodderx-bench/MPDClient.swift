import Glibc

/// Just enough of mpd's protocol to have it play something.
enum MPDClient {
  /// True when every line was answered OK.
  static func say(_ lines: [String], port: UInt16) -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = RoadProxy.loopback(port)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard connected == 0, answer(descriptor).hasPrefix("OK") else { return false }
    for line in lines {
      _ = (line + "\n").withCString { send(descriptor, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
      guard answer(descriptor).hasPrefix("OK") else { return false }
    }
    return true
  }

  private static func answer(_ descriptor: Int32) -> String {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) == 1, byte != UInt8(ascii: "\n") { text.append(byte) }
    return String(decoding: text, as: UTF8.self)
  }
}

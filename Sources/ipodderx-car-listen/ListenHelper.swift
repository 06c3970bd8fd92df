import CLinux
import Glibc

/// Opens the listener for AVRCP's browsing channel (PSM 27, AVCTP 1.4, section 3.2) and passes it to whoever started us, over the
/// Unix socket that is our standard input. Listening below PSM 0x1001 needs CAP_NET_BIND_SERVICE, which the daemon has not and this
/// program has as its only privilege. It takes no arguments, reads nothing, and is gone a moment later.
@main struct ListenHelper {
  static let browsingPSM: UInt16 = 27
  /// What Android offers; the least a car may insist on is 335.
  static let mtu: UInt16 = 1008

  static func main() {
    var kind: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(STDIN_FILENO, SOL_SOCKET, SO_DOMAIN, &kind, &size) == 0, kind == AF_UNIX else {
      fail("standard input is not the socket to answer on; this program is started by ipodderx-car")
    }
    let anyAdapter = [UInt8](repeating: 0, count: 6)
    var step: UnsafePointer<CChar>?
    let listener = clinux_l2cap_ertm_socket(anyAdapter, browsingPSM, mtu, &step)
    guard listener >= 0 else {
      fail("\(step.map { String(cString: $0) } ?? "socket"): \(String(cString: strerror(errno)))")
    }
    guard listen(listener, 4) == 0 else { fail("listen: \(String(cString: strerror(errno)))") }
    guard clinux_send_descriptor(STDIN_FILENO, listener) == 0 else {
      fail("passing it over: \(String(cString: strerror(errno)))")
    }
  }

  private static func fail(_ reason: String) -> Never {
    let line = "ipodderx-car-listen: \(reason)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(1)
  }
}

import CLinux
import Glibc

/// A TCP socket that listens on loopback and nowhere else.
enum Listener {
  enum Family { case ipv4, ipv6 }

  static func open(_ family: Family, port: UInt16) throws(EmbeddedServerError) -> (socket: Int32, port: UInt16) {
    let domain = family == .ipv4 ? AF_INET : AF_INET6
    let descriptor = socket(domain, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure(port) }
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    if family == .ipv6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    guard bind(descriptor, family, port), listen(descriptor, 64) == 0, let bound = self.port(of: descriptor) else {
      let failure = failure(port)
      close(descriptor)
      throw failure
    }
    return (descriptor, bound)
  }

  private static func bind(_ descriptor: Int32, _ family: Family, _ port: UInt16) -> Bool {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
        }
      }
    }
  }

  private static func port(of descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &address) { address in
      let found = address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
      // The port stands at the same place in both families' addresses.
      return found ? address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.bigEndian } : nil
    }
  }

  private static func failure(_ port: UInt16) -> EmbeddedServerError {
    switch errno {
    case EADDRINUSE:
      EmbeddedServerError(.portInUse, "Port \(port) is in use by another program; another can be chosen with --port")
    case EACCES: EmbeddedServerError(.portRefused, "Port \(port) may not be used without more rights; take one above 1023")
    default: EmbeddedServerError(.system, "Listening on port \(port) failed: \(String(cString: strerror(errno)))")
    }
  }
}

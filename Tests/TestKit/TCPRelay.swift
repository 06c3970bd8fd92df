import CLinux
import Glibc
import Synchronization

/// A port on loopback that leads to another, until it goes down: the network between one player and a server that others still reach.
public final class TCPRelay: Sendable {
  public let port: UInt16
  private let target: UInt16
  private let state = Mutex<(isUp: Bool, sockets: Set<Int32>)>((true, []))
  private let listener: Int32

  public init(to target: UInt16) throws {
    self.target = target
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Glibc.bind(listener, pointer, size) == 0 ? getsockname(listener, pointer, &size) : -1
      }
    }
    guard result == 0, listen(listener, 32) == 0 else { throw ToolRun.Failure(description: "no port for a relay") }
    port = UInt16(bigEndian: address.sin_port)
    ServerThread.run { [weak self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else {
          if errno == EINTR || errno == ECONNABORTED { continue }
          break
        }
        guard let self else {
          close(client)
          break
        }
        self.lead(client)
      }
      close(listener)
    }
  }

  deinit {
    goDown()
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// What stands breaks, and what comes is closed at once.
  public func goDown() {
    state.withLock { state in
      state.isUp = false
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  public func comeUp() { state.withLock { $0.isUp = true } }

  private func lead(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(target)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    let isWanted = state.withLock { state in
      guard state.isUp, connected == 0 else { return false }
      state.sockets.formUnion([client, server])
      return true
    }
    guard isWanted else {
      close(client)
      close(server)
      return
    }
    let halves = Halves()
    for (from, to) in [(client, server), (server, client)] {
      ServerThread.run { [weak self] in
        var buffer = [UInt8](repeating: 0, count: 65536)
        pumping: while true {
          let count = recv(from, &buffer, buffer.count, 0)
          guard count > 0 else { break }
          var sent = 0
          while sent < count {
            let more = buffer.withUnsafeBytes {
              send(to, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
            }
            guard more > 0 else { break pumping }
            sent += more
          }
        }
        shutdown(from, Int32(SHUT_RDWR))
        shutdown(to, Int32(SHUT_RDWR))
        // The last of the two closes both: until then their numbers are nobody else's.
        guard halves.isLast() else { return }
        self?.state.withLock { $0.sockets.subtract([from, to]) }
        close(from)
        close(to)
      }
    }
  }

  private final class Halves: Sendable {
    private let left = Mutex(2)
    func isLast() -> Bool {
      left.withLock { left in
        left -= 1
        return left == 0
      }
    }
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

import Glibc
import Synchronization

/// Passes TCP connections on to one port of this machine and counts what goes back: the bytes a server sent, whoever the server and
/// the player are. Socket buffers towards the player are kept small, so that what is counted was (nearly) taken.
final class CountingProxy: Sendable {
  let port: UInt16
  private let counted = Atomic<Int>(0)
  private let listener: Int32
  private let target: UInt16

  /// Bytes passed to players so far.
  var bytes: Int { counted.load(ordering: .relaxed) }

  init?(to target: UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, let port = Self.bindToAnyPort(descriptor), listen(descriptor, 16) == 0 else { return nil }
    (listener, self.port, self.target) = (descriptor, port, target)
    Self.thread { [self] in
      while true {
        let player = accept(listener, nil, nil)
        guard player >= 0 else { return }
        serve(player)
      }
    }
  }

  private func serve(_ player: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(target)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard connected == 0 else {
      close(server)
      close(player)
      return
    }
    for descriptor in [player, server] {
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    }
    var small: Int32 = 65536
    setsockopt(player, SOL_SOCKET, SO_SNDBUF, &small, 4)
    let both = Ends(player: player, server: server)
    Self.thread { [self] in
      Self.copy(from: server, to: player) { counted.wrappingAdd($0, ordering: .relaxed) }
      both.finish()
    }
    Self.thread {
      Self.copy(from: player, to: server) { _ in }
      both.finish()
    }
  }

  /// Both directions share the two descriptors; the second to end closes them.
  private final class Ends: Sendable {
    private let ended = Atomic<Int>(0)
    private let player: Int32
    private let server: Int32

    init(player: Int32, server: Int32) {
      self.player = player
      self.server = server
    }

    func finish() {
      shutdown(player, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
      guard ended.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 2 else { return }
      close(player)
      close(server)
    }
  }

  private static func copy(from: Int32, to: Int32, count: (Int) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 16384)
    while true {
      let got = recv(from, &buffer, buffer.count, 0)
      guard got > 0 else { return }
      var sent = 0
      while sent < got {
        let written = buffer.withUnsafeBytes { send(to, $0.baseAddress! + sent, got - sent, Int32(MSG_NOSIGNAL)) }
        guard written > 0 else { return }
        count(written)
        sent += written
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

  private static func bindToAnyPort(_ descriptor: Int32) -> UInt16? {
    var address = loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    return bound ? UInt16(bigEndian: address.sin_port) : nil
  }

  static func thread(_ body: @escaping @Sendable () -> Void) {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(body))
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, box.toOpaque())
    pthread_detach(thread)
  }
}

import Glibc
import Reactor
import Synchronization

/// The road between a player and the server: passes TCP connections on to one port of this machine, counts what goes back, and does
/// the faults of issue 4 on cue. Socket buffers towards the player are kept small, so that what is counted was (nearly) taken.
final class RoadProxy: Sendable {
  let port: UInt16
  private let counted = Atomic<Int>(0)
  private let listener: Int32
  private let target: UInt16
  private let road = Mutex(Road())

  private struct Road {
    var isStalled = false
    var isRefusing = false
    /// Bytes a second on each connection; nil: as fast as it goes.
    var rate: Int?
    var connections: [ObjectIdentifier: Ends] = [:]
  }

  /// Bytes passed to players so far.
  var bytes: Int { counted.load(ordering: .relaxed) }

  init(to target: UInt16) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0, let port = Self.bindToAnyPort(descriptor), listen(descriptor, 16) == 0 else {
      throw BenchError("The counting proxy does not start: \(String(cString: strerror(errno))).")
    }
    (listener, self.port, self.target) = (descriptor, port, target)
    Self.thread { [self] in
      while true {
        let player = accept(listener, nil, nil)
        guard player >= 0 else { return }
        _ = fcntl(player, F_SETFD, FD_CLOEXEC)
        serve(player)
      }
    }
  }

  // MARK: Faults

  func setRate(_ rate: Int?) { road.withLock { $0.rate = rate } }

  /// Nothing is passed on, in either direction, and nothing is closed.
  func setStalled(_ stalled: Bool) { road.withLock { $0.isStalled = stalled } }

  /// Every connection is cut, and every request is answered 503.
  func setRefusing(_ refusing: Bool) {
    road.withLock { $0.isRefusing = refusing }
    if refusing { drop() }
  }

  /// Cuts every connection there is.
  func drop() {
    for ends in road.withLock({ Array($0.connections.values) }) { ends.cut() }
  }

  // MARK: Passing on

  private func serve(_ player: Int32) {
    if road.withLock({ $0.isRefusing }) {
      Self.thread {
        var request = [UInt8](repeating: 0, count: 8192)
        _ = recv(player, &request, request.count, 0)
        let answer = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        _ = answer.withCString { send(player, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
        shutdown(player, Int32(SHUT_WR))
        _ = recv(player, &request, request.count, 0)
        close(player)
      }
      return
    }
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
    var small: Int32 = 32768
    setsockopt(player, SOL_SOCKET, SO_SNDBUF, &small, 4)
    let ends = Ends(player: player, server: server)
    road.withLock { $0.connections[ObjectIdentifier(ends)] = ends }
    Self.thread { [self] in
      copy(from: server, to: player, isAnswer: true)
      finish(ends)
    }
    Self.thread { [self] in
      copy(from: player, to: server, isAnswer: false)
      finish(ends)
    }
  }

  private func finish(_ ends: Ends) {
    ends.cut()
    guard ends.finish() else { return }
    road.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(ends)) }
    ends.close()
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

    func cut() {
      shutdown(player, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }

    /// True for the second.
    func finish() -> Bool { ended.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue == 2 }

    func close() {
      Glibc.close(player)
      Glibc.close(server)
    }
  }

  private func copy(from: Int32, to: Int32, isAnswer: Bool) {
    var buffer = [UInt8](repeating: 0, count: 16384)
    var due = now()
    while true {
      let rate = isAnswer ? road.withLock { $0.rate } : nil
      let got = recv(from, &buffer, rate == nil ? buffer.count : 2048, 0)
      guard got > 0 else { return }
      if let rate {
        due = max(due, now() - 0.05) + Double(got) / Double(rate)
        pause(due - now())
      }
      while road.withLock({ $0.isStalled }) { pause(0.01) }
      var sent = 0
      while sent < got {
        let written = buffer.withUnsafeBytes { send(to, $0.baseAddress! + sent, got - sent, Int32(MSG_NOSIGNAL)) }
        guard written > 0 else { return }
        if isAnswer { counted.wrappingAdd(written, ordering: .relaxed) }
        sent += written
      }
    }
  }

  // MARK: Sockets and threads

  static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  static func bindToAnyPort(_ descriptor: Int32) -> UInt16? {
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
    do {
      try OwnThread.start("bench", body)
    } catch {
      fatalError("\(error)")
    }
  }
}

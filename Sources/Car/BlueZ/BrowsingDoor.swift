import AVRCP
import CLinux
import Dispatch
import Glibc
import Reactor

/// The browsing channel's PSM 27: a listener that the little helper opens for us (it takes a capability that we do not have), and
/// dialling the car's own. bluetoothd cannot give us either: the channel must be in enhanced retransmission mode.
final class BrowsingDoor: @unchecked Sendable {
  /// What Android offers; the least a car may insist on is 335.
  static let mtu: UInt16 = 1008

  struct Caller: Sendable {
    var address: BluetoothAddress
    var channel: DatagramChannel
  }

  /// What comes in. Whoever takes one owns its descriptor.
  let callers: AsyncStream<Caller>
  private let sink: AsyncStream<Caller>.Continuation
  // Everything below on this queue alone.
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.car.door")
  private var source: (any DispatchSourceRead)?

  init() { (callers, sink) = AsyncStream.makeStream() }

  /// - Returns: why there is no listener; nil when there is one.
  func open(helper: String) async -> String? {
    guard let listener = await Self.listener(from: helper) else {
      // Whoever may, needs no helper: root, in a container, in the two machines.
      let own = Self.listen()
      guard let descriptor = own.descriptor else { return own.reason }
      listen(on: descriptor)
      return nil
    }
    listen(on: listener)
    return nil
  }

  func close() {
    queue.async { [self] in
      source?.cancel()
      source = nil
    }
    sink.finish()
  }

  private func listen(on listener: Int32) {
    queue.async { [self] in
      source?.cancel()
      let source = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
      source.setCancelHandler { Glibc.close(listener) }
      source.setEventHandler { [weak self] in self?.accept(listener) }
      source.activate()
      self.source = source
    }
  }

  private func accept(_ listener: Int32) {
    while true {
      var octets = [UInt8](repeating: 0, count: 6)
      let descriptor = clinux_l2cap_accept(listener, &octets)
      guard descriptor >= 0 else {
        // The adapter may have gone; the listener itself stays good for the next one.
        if errno != EAGAIN, errno != EINTR { Log.info("Browsing: \(String(cString: strerror(errno)))") }
        return
      }
      let caller = Caller(address: BluetoothAddress(octets: octets), channel: Self.channel(descriptor))
      if case .enqueued = sink.yield(caller) { continue }
      Self.refuse(caller.channel)
    }
  }

  // MARK: Dialling

  /// Opens the car's own PSM 27 from the adapter that it is connected to.
  static func dial(_ remote: BluetoothAddress, from local: BluetoothAddress) async -> Result<DatagramChannel, DoorError> {
    var step: UnsafePointer<CChar>?
    let descriptor = clinux_l2cap_ertm_socket(local.octets, 0, mtu, &step)
    guard descriptor >= 0 else { return .failure(DoorError(step.map { String(cString: $0) } ?? "socket")) }
    let result = clinux_l2cap_connect(descriptor, remote.octets, ServiceRecord.browsingPSM)
    guard result == 0 || errno == EINPROGRESS else {
      let error = DoorError("connect")
      Glibc.close(descriptor)
      return .failure(error)
    }
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<Int32, Never>) in
      let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .callbacks)
      source.setEventHandler {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        source.setEventHandler {}
        source.setCancelHandler { continuation.resume(returning: error) }
        source.cancel()
      }
      source.activate()
    }
    guard failure == 0 else {
      Glibc.close(descriptor)
      errno = failure
      return .failure(DoorError("connect"))
    }
    return .success(channel(descriptor))
  }

  static func channel(_ descriptor: Int32) -> DatagramChannel {
    var (incoming, outgoing): (UInt16, UInt16) = (0, 0)
    guard clinux_l2cap_mtus(descriptor, &incoming, &outgoing) == 0 else { return DatagramChannel(descriptor: descriptor) }
    return DatagramChannel(descriptor: descriptor, incomingMTU: Int(incoming), outgoingMTU: Int(outgoing))
  }

  static func refuse(_ channel: DatagramChannel) {
    shutdown(channel.descriptor, Int32(SHUT_RDWR))
    Glibc.close(channel.descriptor)
  }

  // MARK: Listening

  private static func listen() -> (descriptor: Int32?, reason: String) {
    var step: UnsafePointer<CChar>?
    let descriptor = clinux_l2cap_ertm_socket(BluetoothAddress.any.octets, ServiceRecord.browsingPSM, mtu, &step)
    guard descriptor >= 0 else { return (nil, DoorError(step.map { String(cString: $0) } ?? "socket").description) }
    guard Glibc.listen(descriptor, 4) == 0 else {
      let error = DoorError("listen")
      Glibc.close(descriptor)
      return (nil, error.description)
    }
    return (descriptor, "")
  }

  /// The helper opens it and passes it over the socket that is its standard input.
  private static func listener(from helper: String) async -> Int32? {
    guard access(helper, X_OK) == 0 else { return nil }
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else { return nil }
    let (ours, theirs) = (pair[0], pair[1])
    defer { Glibc.close(ours) }
    let child: ChildProcess
    do {
      defer { Glibc.close(theirs) }
      // No parent-death signal: setting one makes the kernel drop the file capability, and it is gone in a moment anyway.
      child = try ChildProcess(helper, [], descriptors: [0: theirs], endsWithUs: false)
    } catch {
      Log.warning("\(error)")
      return nil
    }
    guard await child.wait().status == 0 else { return nil }
    let listener = clinux_receive_descriptor(ours)
    return listener >= 0 ? listener : nil
  }
}

/// A step of a socket's life that failed, and the kernel's reason.
struct DoorError: Error, CustomStringConvertible {
  var description: String

  init(_ step: String) { description = "\(step): \(String(cString: strerror(errno)))" }
}

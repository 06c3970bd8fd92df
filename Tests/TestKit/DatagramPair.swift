import CLinux
import Dispatch
import Glibc
import Synchronization

/// Two connected datagram sockets (AF_UNIX, SOCK_SEQPACKET): what an L2CAP channel is to a program.
public enum DatagramPair {
  public static func make() -> (Int32, Int32) {
    var pair: [Int32] = [-1, -1]
    let result = socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair)
    precondition(result == 0, "socketpair: \(errno)")
    return (pair[0], pair[1])
  }
}

/// A test's end of a datagram socket: raw packets out, raw packets in.
public final class DatagramPeer: Sendable {
  public let descriptor: Int32
  public let inbox = Inbox<[UInt8]>()
  private let isOpen = OpenFlag()
  private let sending = DispatchQueue(label: "DatagramPeer sends")
  nonisolated(unsafe) private let source: any DispatchSourceRead

  /// Owns the descriptor.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "DatagramPeer"))
    let inbox = inbox
    nonisolated(unsafe) let source = source
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count > 0 {
          inbox.put(Array(buffer[0..<count]))
          continue
        }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return }
        inbox.end()
        return source.cancel()
      }
    }
    let sending = sending
    let isOpen = isOpen
    source.setCancelHandler {
      sending.async {
        isOpen.value.withLock { isOpen in
          isOpen = false
          Glibc.close(descriptor)
        }
      }
    }
    source.activate()
  }

  /// In order, on a thread of its own: where the other end does not read, no test's thread is blocked.
  public func send(_ packet: [UInt8]) {
    let descriptor = descriptor
    sending.async { [isOpen] in
      // Its number may be another socket's by now.
      guard isOpen.value.withLock({ $0 }) else { return }
      _ = Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL))
    }
  }

  public func close() {
    isOpen.value.withLock { isOpen in
      if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  deinit { source.cancel() }
}

private final class OpenFlag: Sendable {
  let value = Mutex(true)
}

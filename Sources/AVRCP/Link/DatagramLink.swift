import Dispatch
import Glibc

/// One datagram descriptor on a queue: whole messages in, whole messages out, never blocking.
/// Used on its queue only. While the other end does not take our messages (EAGAIN), none of its own are read: a peer that
/// asks without listening stops itself, and what waits to be sent stays bounded.
final class DatagramLink: @unchecked Sendable {
  /// Answers and notifications that can be waiting at once: more than 16 labels and 13 events on a link that is not read.
  static let sendQueueLimit = 64
  /// Messages taken at one wake before others get their turn.
  private static let readBatch = 16

  let channel: DatagramChannel
  private let queue: DispatchQueue
  private let receive: ([UInt8]) -> Void
  private let ended: () -> Void
  private let reader: any DispatchSourceRead
  private var writer: (any DispatchSourceWrite)?
  private var waiting: [[UInt8]] = []
  private var buffer: [UInt8]
  private var readerSuspended = true
  private(set) var holds = 0
  private(set) var isClosed = false

  /// - Parameters:
  ///   - receive: is called on `queue` with each message.
  ///   - ended: is called once, on `queue`, when the other end is gone; not after `close`.
  init(_ channel: DatagramChannel, queue: DispatchQueue, receive: @escaping ([UInt8]) -> Void, ended: @escaping () -> Void) {
    self.channel = channel
    self.queue = queue
    self.receive = receive
    self.ended = ended
    // One byte more than allowed shows what is too long.
    buffer = [UInt8](repeating: 0, count: min(max(channel.incomingMTU, 48), 65_535) + 1)
    let flags = fcntl(channel.descriptor, F_GETFL)
    _ = fcntl(channel.descriptor, F_SETFL, flags | O_NONBLOCK)
    reader = DispatchSource.makeReadSource(fileDescriptor: channel.descriptor, queue: queue)
    let descriptor = channel.descriptor
    reader.setCancelHandler { Glibc.close(descriptor) }
  }

  func start() {
    reader.setEventHandler { [weak self] in self?.readable() }
    updateReading()
  }

  /// Stops reading until as many `release`s: the work taken in so far is enough.
  func hold() {
    holds += 1
    updateReading()
  }

  func release() {
    holds -= 1
    updateReading()
  }

  /// - Returns: false when the message is longer than the peer or the socket takes, or the link is gone; it is not sent then.
  @discardableResult
  func send(_ message: [UInt8]) -> Bool {
    guard !isClosed, message.count <= channel.outgoingMTU else { return false }
    guard waiting.isEmpty else { return enqueue(message) }
    switch write(message) {
    case .sent: return true
    case .wouldBlock: return enqueue(message)
    case .tooLong: return false
    case .failed:
      fail()
      return false
    }
  }

  /// `shutdown` first: for a descriptor that another process holds too, `close` alone would end nothing.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    waiting = []
    shutdown(channel.descriptor, Int32(SHUT_RDWR))
    writer?.cancel()
    writer = nil
    // A suspended source is never released, nor its cancel handler called.
    if readerSuspended { reader.resume() }
    readerSuspended = false
    reader.cancel()
  }

  private enum Outcome { case sent, wouldBlock, tooLong, failed }

  private func write(_ message: [UInt8]) -> Outcome {
    while true {
      let count = message.withUnsafeBytes {
        Glibc.send(channel.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count >= 0 { return .sent }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS: return .wouldBlock
      // No reason to end the link: the peer asks again.
      case EMSGSIZE: return .tooLong
      default: return .failed
      }
    }
  }

  private func enqueue(_ message: [UInt8]) -> Bool {
    guard waiting.count < Self.sendQueueLimit else {
      fail()
      return false
    }
    waiting.append(message)
    if writer == nil {
      let writer = DispatchSource.makeWriteSource(fileDescriptor: channel.descriptor, queue: queue)
      writer.setEventHandler { [weak self] in self?.writable() }
      writer.activate()
      self.writer = writer
      updateReading()
    }
    return true
  }

  private func writable() {
    var sent = 0
    while !isClosed, sent < waiting.count {
      switch write(waiting[sent]) {
      case .sent, .tooLong: sent += 1
      case .wouldBlock:
        waiting.removeFirst(sent)
        return
      case .failed: return fail()
      }
    }
    waiting = []
    writer?.cancel()
    writer = nil
    updateReading()
  }

  private func readable() {
    for _ in 0..<Self.readBatch {
      guard !isClosed, !readerSuspended else { return }
      let count = buffer.withUnsafeMutableBytes {
        recv(channel.descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        if count <= channel.incomingMTU { receive(Array(buffer[0..<count])) }
        continue
      }
      if count < 0 && errno == EINTR { continue }
      if count < 0 && errno == EAGAIN { return }
      // A message without a byte looks like the end, and is none.
      if count == 0 && !isHungUp { continue }
      return fail()
    }
  }

  /// POLLRDHUP, which Glibc keeps to itself.
  private static let readHangUp: Int16 = 0x2000

  private var isHungUp: Bool {
    var state = pollfd(fd: channel.descriptor, events: Self.readHangUp, revents: 0)
    return poll(&state, 1, 0) != 0
  }

  private func fail() {
    guard !isClosed else { return }
    close()
    ended()
  }

  private func updateReading() {
    guard !isClosed else { return }
    let wanted = holds == 0 && writer == nil
    if wanted && readerSuspended {
      readerSuspended = false
      reader.resume()
    } else if !wanted && !readerSuspended {
      readerSuspended = true
      reader.suspend()
    }
  }
}

import Glibc

/// Whole messages over a stream socket, sent and awaited by blocking.
public struct WireSocket: Sendable {
  public enum Failure: Error, Sendable {
    /// The other side is gone.
    case ended
    /// Nothing came for as long as was set.
    case timedOut
    /// What came is not of this protocol.
    case garbage
  }

  public let descriptor: Int32

  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// How long the other side may be silent, or not take what is sent.
  public func setPatience(seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  public func send(_ header: WireHeader) throws(Failure) {
    try withUnsafeTemporaryAllocation(byteCount: WireHeader.size, alignment: 8) { space throws(Failure) in
      guard let base = space.baseAddress else { return }
      header.write(to: base)
      try sendAll(UnsafeRawBufferPointer(space))
    }
  }

  public func sendAll(_ bytes: [UInt8]) throws(Failure) {
    let failure = bytes.withUnsafeBytes { bytes -> Failure? in
      do throws(Failure) { try sendAll(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
  }

  public func sendAll(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    var done = 0
    while done < bytes.count {
      guard let base = bytes.baseAddress else { return }
      let count = Glibc.send(descriptor, base + done, bytes.count - done, Int32(MSG_NOSIGNAL))
      if count > 0 { done += count } else { try Self.check(errno) }
    }
  }

  public func receive() throws(Failure) -> WireHeader {
    try withUnsafeTemporaryAllocation(byteCount: WireHeader.size, alignment: 8) { space throws(Failure) in
      try receiveAll(space)
      guard let header = WireHeader(UnsafeRawBufferPointer(space)) else { throw .garbage }
      return header
    }
  }

  public func receive(bytes count: Int) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let failure = bytes.withUnsafeMutableBytes { bytes -> Failure? in
      do throws(Failure) { try receiveAll(bytes) } catch { return error }
      return nil
    }
    if let failure { throw failure }
    return bytes
  }

  public func receiveAll(_ bytes: UnsafeMutableRawBufferPointer) throws(Failure) {
    var done = 0
    while done < bytes.count {
      guard let base = bytes.baseAddress else { return }
      let count = recv(descriptor, base + done, bytes.count - done, 0)
      if count == 0 { throw .ended }
      if count > 0 { done += count } else { try Self.check(errno) }
    }
  }

  private static func check(_ error: Int32) throws(Failure) {
    if error == EINTR { return }
    throw error == EAGAIN || error == EWOULDBLOCK ? .timedOut : .ended
  }
}

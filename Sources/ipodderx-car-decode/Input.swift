import CAVFormat
import DecodeWire
import Glibc

/// The file as libavformat reads it: a place that moves, its bytes asked of the daemon.
final class Input {
  private let socket: WireSocket
  private let length: Int64
  private let isSeekable: Bool
  private(set) var position: Int64 = 0
  /// The daemon said that the bytes will not come: every read fails until the next command.
  private(set) var isAborted = false
  private(set) var io: UnsafeMutablePointer<AVIOContext>?

  init?(_ socket: WireSocket, length: Int64, isSeekable: Bool) {
    self.socket = socket
    self.length = length
    self.isSeekable = isSeekable
    guard let buffer = av_malloc(WireLimits.piece) else { return nil }
    io = avio_alloc_context(
      buffer.assumingMemoryBound(to: UInt8.self), Int32(WireLimits.piece), 0, Unmanaged.passUnretained(self).toOpaque(),
      { input, target, count in
        guard let input, let target else { return cav_error_exit }
        return Unmanaged<Input>.fromOpaque(input).takeUnretainedValue().read(target, count)
      }, nil,
      { input, offset, whence in
        guard let input else { return -1 }
        return Unmanaged<Input>.fromOpaque(input).takeUnretainedValue().seek(offset, whence)
      })
    guard let io else { return nil }
    io.pointee.seekable = isSeekable ? AVIO_SEEKABLE_NORMAL : 0
  }

  /// A new command may succeed where the last was given up.
  func startAnew() {
    isAborted = false
    io?.pointee.error = 0
    io?.pointee.eof_reached = 0
  }

  /// Places can be gone to, and the end is known.
  var hasPlaces: Bool { isSeekable && length >= 0 }

  /// Up to `count` bytes; 0 at the end, -1 where it failed.
  func take(_ target: UnsafeMutableRawPointer, _ count: Int) -> Int {
    let got = read(target.assumingMemoryBound(to: UInt8.self), Int32(min(max(0, count), WireLimits.piece)))
    return got == cav_error_eof ? 0 : got < 0 ? -1 : Int(got)
  }

  func go(_ offset: Int64, _ whence: Int32) -> Int64 { seek(offset, whence) }

  private func read(_ target: UnsafeMutablePointer<UInt8>, _ count: Int32) -> Int32 {
    guard !isAborted, count > 0 else { return cav_error_exit }
    let wanted = min(Int(count), WireLimits.piece)
    do throws(WireSocket.Failure) {
      try socket.send(WireHeader(.ask, value: position, extra: UInt64(wanted)))
      let answer = try socket.receive()
      switch answer.kind {
      case .bytes where Int(answer.count) <= wanted:
        if answer.count == 0 { return cav_error_eof }
        try socket.receiveAll(UnsafeMutableRawBufferPointer(start: target, count: Int(answer.count)))
        position += Int64(answer.count)
        return Int32(answer.count)
      case .abort:
        isAborted = true
        return cav_error_exit
      default: exit(3)
      }
    } catch {
      // The daemon is gone, or mad.
      exit(3)
    }
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    if whence & AVSEEK_SIZE != 0 { return length >= 0 ? length : Int64(cav_error(ENOSYS)) }
    let base: Int64
    switch whence & ~AVSEEK_FORCE {
    case SEEK_SET: base = 0
    case SEEK_CUR: base = position
    case SEEK_END where length >= 0: base = length
    default: return Int64(cav_error(EINVAL))
    }
    let (place, overflow) = base.addingReportingOverflow(offset)
    guard isSeekable, !overflow, place >= 0 else { return Int64(cav_error(EINVAL)) }
    position = place
    return place
  }
}

import CVorbisFile
import DecodeWire
import Glibc

/// Vorbis in Ogg through vorbisfile, chained streams of other rates and channels included. It is here, and not in the daemon, because
/// libvorbis 1.3.7 divides by zero over hostile headers (found by fuzzing).
final class VorbisFile: SoundFile {
  private let input: Input
  private let file: UnsafeMutablePointer<OggVorbis_File>
  private(set) var description = WireDescription()
  private var newLength: Int64?
  private var link: Int32 = 0
  /// Of the next sample.
  private var seconds = 0.0
  /// As the library gives it, in whatever channels, and mixed down.
  private let raw = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 1 << 15)
  private let mixed = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 1 << 15)

  private static let mostHoles = 1000

  init(_ input: Input) throws(FileFailure) {
    self.input = input
    var callbacks = ov_callbacks(
      read_func: { target, size, count, input in
        guard let input, let target, size == 1 else { return 0 }
        let got = Unmanaged<Input>.fromOpaque(input).takeUnretainedValue().take(target, count)
        // vorbisfile tells an error from the end by errno.
        setErrno(got < 0 ? EIO : 0)
        return max(0, got)
      }, seek_func: nil, close_func: nil, tell_func: nil)
    if input.hasPlaces {
      callbacks.seek_func = { input, offset, whence in
        guard let input else { return -1 }
        return Unmanaged<Input>.fromOpaque(input).takeUnretainedValue().go(offset, whence) < 0 ? -1 : 0
      }
      callbacks.tell_func = { input in
        guard let input else { return -1 }
        return Int(Unmanaged<Input>.fromOpaque(input).takeUnretainedValue().position)
      }
    }
    file = .allocate(capacity: 1)
    file.initialize(to: OggVorbis_File())
    guard ov_open_callbacks(Unmanaged.passUnretained(input).toOpaque(), file, nil, 0, callbacks) == 0 else {
      throw FileFailure(.damaged)
    }
    try describe()
  }

  private func describe() throws(FileFailure) {
    guard let info = ov_info(file, -1), (1...768_000).contains(info.pointee.rate), info.pointee.channels > 0 else {
      throw FileFailure(.damaged)
    }
    let total = ov_time_total(file, -1)
    description.length = total >= 0 ? microseconds(total) : nil
    description.isSeekable = ov_seekable(file) != 0
    description.format = "Vorbis"
    description.sampleRate = info.pointee.rate
    description.channels = info.pointee.channels == 1 ? 1 : 2
    guard let comments = ov_comment(file, -1) else { return }
    for index in 0..<Int(comments.pointee.comments) {
      guard let text = comments.pointee.user_comments[index], comments.pointee.comment_lengths[index] < 65536 else { continue }
      let comment = String(cString: text)
      guard let equals = comment.firstIndex(of: "=") else { continue }
      let name = String(comment[..<equals])
      guard WireDescription.wants(tag: name) else { continue }
      description.tags.append((name, String(comment[comment.index(after: equals)...])))
    }
  }

  func takeNewLength() -> Int64? {
    defer { newLength = nil }
    return newLength
  }

  func read(most: Int) throws(FileFailure) -> Sound {
    var got = 0
    var holes = 0
    repeat {
      got = raw.withMemoryRebound(to: CChar.self) { bytes in
        ov_read(file, bytes.baseAddress, Int32(min(bytes.count, most * 2)), 0, 2, 1, &link)
      }
      holes += 1
    } while got == Int(OV_HOLE) && holes < Self.mostHoles
    // A read that failed looks like the end to the library.
    if input.isAborted { throw FileFailure(.aborted) }
    guard got >= 0, let info = ov_info(file, -1), info.pointee.channels > 0, (1...768_000).contains(info.pointee.rate) else {
      throw FileFailure(.damaged)
    }
    let (channels, rate) = (Int(info.pointee.channels), info.pointee.rate)
    let frames = min(got / 2 / channels, most)
    // What was lost on the way took its time: the pages know how much, at the latest at their ends.
    if ov_seekable(file) != 0, frames > 0 { seconds = max(0, ov_time_tell(file) - Double(frames) / Double(rate)) }
    let place = microseconds(seconds)
    seconds += Double(frames) / Double(rate)
    if frames == 0, description.length == nil {
      description.length = microseconds(seconds)
      newLength = description.length
    }
    return Sound(place: place, sampleRate: rate, channels: channels == 1 ? 1 : 2, samples: mix(frames, channels))
  }

  func seek(to target: Int64) throws(FileFailure) -> Int64 {
    let total = ov_time_total(file, -1)
    let wanted = Double(target) / 1e6
    // The very end is none of the places that can be sought.
    let result = ov_time_seek(file, max(0, total >= 0 ? min(wanted, total - 0.000_1) : wanted))
    if input.isAborted { throw FileFailure(.aborted) }
    guard result == 0 else { throw FileFailure(.unreachable) }
    seconds = max(0, ov_time_tell(file))
    return microseconds(seconds)
  }

  /// Vorbis has its own order of channels (Vorbis I, 4.3.9): left, centre, right, …; the last of six is for the deep.
  private func mix(_ frames: Int, _ channels: Int) -> UnsafeBufferPointer<Int16> {
    guard channels > 2 else { return UnsafeBufferPointer(rebasing: raw[..<(frames * channels)]) }
    let hasCentre = channels != 4
    let right = hasCentre ? 2 : 1
    let deep = channels >= 6 ? channels - 1 : channels
    let share = Int32((channels + 1) / 2)
    for frame in 0..<frames {
      let at = frame * channels
      var (left, other) = (Int32(raw[at]), Int32(raw[at + right]))
      if hasCentre {
        left += Int32(raw[at + 1])
        other += Int32(raw[at + 1])
      }
      var channel = right + 1
      while channel < deep {
        if (channel - right) % 2 == 1 { left += Int32(raw[at + channel]) } else { other += Int32(raw[at + channel]) }
        channel += 1
      }
      mixed[frame * 2] = Int16(clamping: left / share)
      mixed[frame * 2 + 1] = Int16(clamping: other / share)
    }
    return UnsafeBufferPointer(rebasing: mixed[..<(frames * 2)])
  }

  private func microseconds(_ seconds: Double) -> Int64 { Int64(exactly: (max(0, seconds) * 1e6).rounded()) ?? 0 }
}

private func setErrno(_ value: Int32) { errno = value }

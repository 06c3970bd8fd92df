import DecodeWire
import Formats
import Media
import Reactor

/// Everything but MPEG audio and Opus, through libavformat or vorbisfile in a confined process: it asks for the file's bytes, and its samples
/// come back. Whatever becomes of it costs an error here and nothing more.
///
/// A command that the source interrupted stays under way: the helper waits for its bytes until the same command is repeated, and is told
/// to give it up when another comes.
final class HelperDecoder: Decoder {
  private enum Command: Equatable {
    case open
    case read
    case seek(Int64)
  }

  private struct Ask {
    var offset: Int64
    var count: Int
  }

  private let source: any ByteSource
  private let link: HelperLink
  private(set) var description = MediaDescription()
  private(set) var replayGain: ReplayGainTags?

  /// Sent, and not answered yet.
  private var underWay: Command?
  /// The helper waits for these bytes.
  private var ask: Ask?
  /// Bytes given for the command under way.
  private var given: Int64 = 0

  /// What the last answer brought and nobody has taken yet.
  private let samples = UnsafeMutableBufferPointer<Int16>.allocate(capacity: WireLimits.frames * 2)
  private var taken = 0
  private var held = 0
  private var sampleRate = 1
  private var channels = 1
  /// Of the next sample, µs and frames beyond.
  private var base: Int64 = 0
  private var frames: Int64 = 0
  private let message = UnsafeMutableRawBufferPointer.allocate(byteCount: WireHeader.size + WireLimits.piece, alignment: 16)

  private let isVorbis: Bool
  private let goesAnywhere: Bool
  /// The length by the file's own header.
  private var told: MediaTime?

  /// - Parameters:
  ///   - told: the length by the file's own header, where libavformat may keep it to itself.
  ///   - goesAnywhere: bytes may be asked for at any place, though that may take its time.
  init(
    _ source: any ByteSource, _ link: HelperLink, isVorbis: Bool = false, goesAnywhere: Bool = false, told: MediaTime? = nil
  ) throws(DecoderError) {
    self.goesAnywhere = goesAnywhere || source.isSeekable
    self.source = source
    self.told = told
    self.isVorbis = isVorbis
    self.link = link
    let answer = try perform(.open)
    guard answer.kind == .described, answer.count <= WireLimits.description else { throw link.give(up: .garbage) }
    guard let found = WireDescription(try receive(bytes: Int(answer.count))) else { throw link.give(up: .garbage) }
    take(found)
  }

  convenience init(
    _ source: any ByteSource, _ program: HelperProgram, isVorbis: Bool = false, goesAnywhere: Bool = false,
    told: MediaTime? = nil
  ) throws(DecoderError) {
    try self.init(source, try program.start(), isVorbis: isVorbis, goesAnywhere: goesAnywhere, told: told)
  }

  deinit {
    samples.deallocate()
    message.deallocate()
  }

  // MARK: Decoder

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    if held == taken { try readMore() }
    let count = min(buffer.count / channels, (held - taken) / channels)
    let chunk = DecodedChunk(frames: count, sampleRate: sampleRate, channels: channels, place: place)
    guard count > 0, let target = buffer.baseAddress, let from = samples.baseAddress else { return chunk }
    target.update(from: from + taken, count: count * channels)
    taken += count * channels
    frames += Int64(count)
    (description.sampleRate, description.channels) = (sampleRate, channels)
    return chunk
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    (taken, held) = (0, 0)
    let answer = try perform(.seek(max(0, place.microseconds)))
    guard answer.kind == .landed, answer.count == 0, answer.value >= 0 else { throw link.give(up: .garbage) }
    (base, frames) = (answer.value, 0)
    return self.place
  }

  private var place: MediaTime {
    MediaTime(microseconds: base) + MediaTime(seconds: Double(frames) / Double(sampleRate))
  }

  private func readMore() throws(DecoderError) {
    let answer = try perform(.read)
    let rate = Int(truncatingIfNeeded: answer.extra >> 8)
    let count = Int(truncatingIfNeeded: answer.extra & 0xFF)
    guard answer.kind == .sound, (1...768_000).contains(rate), (1...2).contains(count), answer.value >= 0,
      Int(answer.count) <= samples.count * 2, Int(answer.count) % (2 * count) == 0
    else { throw link.give(up: .garbage) }
    (sampleRate, channels) = (rate, count)
    (base, frames) = (answer.value, 0)
    (taken, held) = (0, 0)
    do throws(WireSocket.Failure) {
      try link.socket.receiveAll(
        UnsafeMutableRawBufferPointer(start: samples.baseAddress, count: Int(answer.count)))
    } catch { throw link.give(up: error) }
    held = Int(answer.count) / 2
  }

  private func take(_ found: WireDescription) {
    var tags = AudioTags()
    for tag in found.tags { tags.add(tag.name, tag.text) }
    for chapter in found.chapters {
      tags.chapters.append(.init(start: MediaTime(microseconds: chapter.start), title: ID3Text.clean(chapter.title) ?? ""))
    }
    tags.finish()
    replayGain = tags.gain.map { ReplayGainTags(gain: $0, peak: tags.peak) }
    let length = found.length.map { MediaTime(microseconds: $0) }
    told = told ?? length
    (sampleRate, channels) = (found.sampleRate, min(2, found.channels))
    description = MediaDescription(
      length: length, isSeekable: found.isSeekable && goesAnywhere,
      format: found.format, sampleRate: sampleRate, channels: channels, tags: tags)
    description.compare(with: told)
  }

  // MARK: Commands

  /// Sends `command`, or goes on with it, and serves the helper until it answers.
  private func perform(_ command: Command) throws(DecoderError) -> WireHeader {
    guard !link.isOver else { throw DecoderError(.helperDied, "The decoder of this file ended unexpectedly.") }
    if underWay != command {
      if underWay != nil { try giveUpUnderWay() }
      underWay = command
      given = 0
      try send(header(command))
    }
    while true {
      if ask != nil { try answer() }
      let header = try receiveHeader()
      switch header.kind {
      case .ask: ask = try asked(header)
      case .length where header.value > 0 && header.count == 0:
        description.length = MediaTime(microseconds: header.value)
        description.compare(with: told)
      case .failed:
        underWay = nil
        throw failure(header)
      case .described, .sound, .landed:
        underWay = nil
        return header
      default: throw link.give(up: .garbage)
      }
    }
  }

  private func header(_ command: Command) -> WireHeader {
    switch command {
    case .open:
      var how: WireOpening = []
      let length = source.length
      if goesAnywhere { how.insert(.isSeekable) }
      if isVorbis { how.insert(.isVorbis) }
      if let length, source.held(from: 0) >= length { how.insert(.isLocal) }
      return WireHeader(.open, value: length ?? -1, extra: how.rawValue)
    case .read: return WireHeader(.read, value: Int64(WireLimits.frames))
    case .seek(let place): return WireHeader(.seek, value: place)
    }
  }

  private func asked(_ header: WireHeader) throws(DecoderError) -> Ask {
    guard header.value >= 0, header.count == 0, (1...UInt64(WireLimits.piece)).contains(header.extra) else {
      throw link.give(up: .garbage)
    }
    return Ask(offset: header.value, count: Int(header.extra))
  }

  /// Gives the bytes asked for. What the source throws leaves the question open.
  private func answer() throws(DecoderError) {
    guard let ask, let start = message.baseAddress else { return }
    // One who reads the same over and over is as good as hung.
    if given > 4 * min(source.length ?? 1 << 30, 1 << 50) + (64 << 20) { throw link.give(up: .timedOut) }
    let target = UnsafeMutableRawBufferPointer(start: start + WireHeader.size, count: ask.count)
    let count: Int
    do throws(ByteSourceError) { count = max(0, min(ask.count, try source.read(at: ask.offset, into: target))) } catch {
      throw DecoderError(error)
    }
    given += Int64(max(1024, count))
    WireHeader(.bytes, count: count).write(to: start)
    self.ask = nil
    do throws(WireSocket.Failure) {
      try link.socket.sendAll(UnsafeRawBufferPointer(start: start, count: WireHeader.size + count))
    } catch { throw link.give(up: error) }
  }

  /// Another command is wanted than the one that waits for bytes.
  private func giveUpUnderWay() throws(DecoderError) {
    while true {
      if ask != nil {
        ask = nil
        try send(WireHeader(.abort))
      }
      let header = try receiveHeader()
      switch header.kind {
      case .ask: ask = try asked(header)
      case .length: continue
      case .sound, .described:
        guard header.count <= WireLimits.description else { throw link.give(up: .garbage) }
        _ = try receive(bytes: Int(header.count))
        fallthrough
      case .failed, .landed:
        underWay = nil
        return
      default: throw link.give(up: .garbage)
      }
    }
  }

  private func failure(_ header: WireHeader) -> DecoderError {
    guard header.count == 0, let reason = WireFailure(rawValue: header.value) else { return link.give(up: .garbage) }
    switch reason {
    case .notAudio: return DecoderError(.notAudio, "There is no sound in this file.")
    case .unsupported: return DecoderError(.unsupported, "This kind of sound cannot be decoded.")
    case .video: return DecoderError(.unsupported, "This is a video.")
    case .damaged: return DecoderError(.damaged, "The file is broken.")
    case .unreachable: return DecoderError(.damaged, "This place in the file cannot be reached.")
    case .aborted: return DecoderError(.damaged, "The file cannot be read here.")
    }
  }

  // MARK: The wire

  private func send(_ header: WireHeader) throws(DecoderError) {
    do throws(WireSocket.Failure) { try link.socket.send(header) } catch { throw link.give(up: error) }
  }

  private func receiveHeader() throws(DecoderError) -> WireHeader {
    do throws(WireSocket.Failure) { return try link.socket.receive() } catch { throw link.give(up: error) }
  }

  private func receive(bytes count: Int) throws(DecoderError) -> [UInt8] {
    do throws(WireSocket.Failure) { return try link.socket.receive(bytes: count) } catch { throw link.give(up: error) }
  }
}

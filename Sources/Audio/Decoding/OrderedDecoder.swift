import Media
import Reactor

/// Makes places of a file whose bytes come in order only: forwards by decoding what lies between unheard, backwards by opening it anew.
/// Places are counted from the beginning, so they are right to the sample. For decoders that cannot pass over what they do not decode.
final class OrderedDecoder: Decoder {
  typealias Opening = () throws(DecoderError) -> any Decoder

  private let source: any ByteSource
  private let open: Opening
  private var inner: (any Decoder)?
  private(set) var description: MediaDescription
  let replayGain: ReplayGainTags?

  /// Of the next sample out of `inner`.
  private var reached = MediaTime.zero
  /// What a seek decoded beyond its place.
  private var rest: DecodedChunk?
  private var restOffset = 0
  private var samples: [Int16] = []

  private static let room = 16_384

  init(_ source: any ByteSource, _ open: @escaping Opening) throws(DecoderError) {
    self.source = source
    self.open = open
    let first = try open()
    inner = first
    description = first.description
    replayGain = first.replayGain
    describe(first)
  }

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    if let chunk = takeRest(into: buffer) { return chunk }
    let decoder = try opened()
    let chunk = try decoder.read(into: buffer)
    note(chunk)
    describe(decoder)
    return chunk
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    let target = max(.zero, place)
    rest = nil
    if target < reached { close() }
    let decoder = try opened()
    if samples.isEmpty { samples = [Int16](repeating: 0, count: Self.room) }
    // What interrupts it leaves it where it came to, and the next call goes on from there.
    while reached < target {
      let chunk = try samples.withUnsafeMutableBufferPointer { buffer throws(DecoderError) in try decoder.read(into: buffer) }
      note(chunk)
      describe(decoder)
      guard chunk.frames > 0 else { return reached }
      guard reached > target else { continue }
      let skipped = Int(((target - chunk.place).seconds * Double(chunk.sampleRate)).rounded())
      keep(chunk, from: min(max(0, skipped), chunk.frames))
    }
    return rest?.place ?? reached
  }

  private func opened() throws(DecoderError) -> any Decoder {
    if let inner { return inner }
    let decoder = try open()
    inner = decoder
    return decoder
  }

  private func close() {
    inner = nil
    reached = .zero
  }

  private func note(_ chunk: DecodedChunk) {
    reached = chunk.place + MediaTime(seconds: Double(chunk.frames) / Double(max(1, chunk.sampleRate)))
  }

  /// What was learnt at the end once stays known.
  private func describe(_ decoder: any Decoder) {
    let length = description.length
    description = decoder.description
    description.length = description.length ?? length
    description.isSeekable = source.isRepeatable
  }

  private func keep(_ chunk: DecodedChunk, from frame: Int) {
    guard frame < chunk.frames else { return }
    rest = chunk
    rest?.frames = chunk.frames - frame
    rest?.place = chunk.place + MediaTime(seconds: Double(frame) / Double(max(1, chunk.sampleRate)))
    restOffset = frame * chunk.channels
  }

  private func takeRest(into buffer: UnsafeMutableBufferPointer<Int16>) -> DecodedChunk? {
    guard var chunk = rest, let target = buffer.baseAddress else { return nil }
    let whole = chunk
    chunk.frames = min(chunk.frames, buffer.count / max(1, chunk.channels))
    let count = chunk.frames * chunk.channels
    samples.withUnsafeBufferPointer { samples in
      guard let from = samples.baseAddress else { return }
      target.update(from: from + restOffset, count: count)
    }
    keep(whole, after: chunk.frames)
    return chunk
  }

  private func keep(_ chunk: DecodedChunk, after frames: Int) {
    restOffset += frames * chunk.channels
    rest = frames < chunk.frames ? chunk : nil
    rest?.frames -= frames
    rest?.place = chunk.place + MediaTime(seconds: Double(frames) / Double(max(1, chunk.sampleRate)))
  }
}

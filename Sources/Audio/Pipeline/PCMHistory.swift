import Reactor

/// What was decoded and may be wanted again: all that lies between the ear and the decoder, and a little before.
///
/// The ear is up to ten seconds behind the decoder. A new speed, a restarted sound server, another output: all start again at
/// the ear, from here, to the sample and without asking the decoder (which may be unable to go back) or the network.
struct PCMHistory {
  private(set) var chunks: [PCMChunk] = []
  /// The next frame to be processed: `chunks[index]`, `offset` frames into it. `index == chunks.count`: decode more first.
  private(set) var index = 0
  private(set) var offset = 0
  private var spare: [PCMChunk] = []
  /// Places are rounded to microseconds and decoders may count frames a little differently from chunk to chunk.
  private static let slack = MediaTime(microseconds: 1000)

  /// An empty chunk to decode into; give it back with `append` or `discard`.
  mutating func blank() -> PCMChunk {
    let chunk = spare.popLast() ?? PCMChunk()
    chunk.frames = 0
    chunk.ending = nil
    return chunk
  }

  mutating func append(_ chunk: PCMChunk) { chunks.append(chunk) }

  mutating func discard(_ chunk: PCMChunk) {
    if spare.count < 8 { spare.append(chunk) }
  }

  /// The chunk to process and where in it.
  var current: (chunk: PCMChunk, offset: Int)? {
    index < chunks.count ? (chunks[index], offset) : nil
  }

  mutating func advance(_ frames: Int) {
    offset += frames
    if index < chunks.count, offset >= chunks[index].frames {
      index += 1
      offset = 0
    }
  }

  /// Puts the cursor on `place` of `token`. False (and unmoved) when that is not held.
  mutating func rewind(to token: UInt64, _ place: MediaTime) -> Bool {
    // Searched from the back: after a seek within one item the same place may have been decoded before and again.
    guard let index = chunks.indices.last(where: { chunks[$0].token == token && chunks[$0].place <= place + Self.slack }) else {
      return false
    }
    let chunk = chunks[index]
    guard place < chunk.end + Self.slack else { return false }
    let frame = Int(((place - chunk.place).seconds * Double(chunk.sampleRate)).rounded())
    self.index = index
    offset = min(max(0, frame), chunk.frames)
    if offset == chunk.frames, chunk.ending == nil {
      self.index += 1
      offset = 0
    }
    return true
  }

  /// Lets go of chunks that end before `place` of `token` (what is heard now), but not of any the cursor still needs.
  mutating func prune(before token: UInt64, _ place: MediaTime) {
    guard let heard = chunks.firstIndex(where: { $0.token == token && $0.end > place }) else { return }
    for _ in 0..<min(heard, index) {
      discard(chunks.removeFirst())
      index -= 1
    }
  }

  /// Takes away everything of `token`, wherever the cursor is; the cursor then stands at the end.
  mutating func remove(_ token: UInt64) {
    for chunk in chunks where chunk.token == token { discard(chunk) }
    chunks.removeAll { $0.token == token }
    index = chunks.count
    offset = 0
  }

  /// Everything of `token` is so much later than it was thought to be.
  func shift(_ token: UInt64, by error: MediaTime) {
    for chunk in chunks where chunk.token == token { chunk.place = chunk.place + error }
  }

  /// Decoded but not processed yet.
  var undelivered: MediaTime {
    guard index < chunks.count else { return .zero }
    let begun = chunks[index].place(of: offset) - chunks[index].place
    return chunks[index...].reduce(MediaTime.zero) { $0 + ($1.end - $1.place) } - begun
  }

  mutating func removeAll() {
    for chunk in chunks { discard(chunk) }
    chunks.removeAll(keepingCapacity: true)
    index = 0
    offset = 0
  }
}

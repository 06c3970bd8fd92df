import Formats
import Media
import Reactor

/// The marks that outlive the decoder: learnt by one that played, used by the next.
extension MP3Decoder {
  /// Between two marks, and between two words about new ones.
  private static let spacing = 10.0
  private static let newsAfter = 60.0
  /// What is decoded unheard, from a mark on, rather than counted or guessed.
  private static let reach = 150.0

  func take(_ index: SeekIndex) {
    guard index.bytes == window.length, index.marks.allSatisfy({ $0.offset >= opening.firstSound }) else { return }
    marks = index.marks
    announcedTo = marks.last.map { seconds(ofFrame: $0.frame) } ?? 0
  }

  /// Where the last mark is known to be needed: only frames that vary in size, of one kind, in a file that is not at hand.
  func newIndex() -> SeekIndex? {
    let reached = isOnIsland ? island.flatMap { $0.isExact ? $0.endSeconds : nil } ?? 0 : main.endSeconds
    guard reached > announcedTo + Self.newsAfter, opening.vbri == nil, main.segments.count == 1, let length = window.length,
      bitrates.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes) == nil, !isLocal(from: opening.firstSound, to: length)
    else { return nil }
    announcedTo = reached
    gatherMarks()
    return SeekIndex(bytes: length, marks: marks)
  }

  /// What is known by now, in one row.
  func gatherMarks() {
    guard main.segments.count == 1 else { return }
    var found = marks
    let length = Int64(opening.header.samplesPerFrame)
    for stretch in [main, island].compactMap({ $0 }) where stretch.isExact && stretch.segments.count == 1 {
      found += stretch.places.map { SeekIndex.Mark(offset: $0.offset, frame: $0.sample / length) }
    }
    found.sort { $0.offset < $1.offset }
    marks = []
    for mark in found where marks.last.map({ seconds(ofFrame: mark.frame - $0.frame) >= Self.spacing }) ?? true {
      marks.append(mark)
    }
  }

  /// In front of `target`, where a mark is not far, and a frame stands there as it should.
  func markedLanding(_ target: Double, _ lead: Int) throws(DecoderError) -> Landing? {
    let segment = main.segments[0]
    let length = Int64(segment.samplesPerFrame)
    guard
      let mark = marks.last(where: { segment.seconds(at: ($0.frame + Int64(lead)) * length) <= target }),
      segment.seconds(at: mark.frame * length) > max(main.endSeconds, target - Self.reach)
    else { return nil }
    var probe = walker
    guard try probe.isFrame(at: mark.offset) else {
      // It is not the file that it was.
      marks = []
      return nil
    }
    return Landing(offset: mark.offset, sample: mark.frame * length, isExact: true)
  }

  private func seconds(ofFrame frame: Int64) -> Double {
    Double(frame) * Double(opening.header.samplesPerFrame) / Double(opening.header.sampleRate)
  }
}

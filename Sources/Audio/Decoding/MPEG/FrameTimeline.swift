import Formats
import Reactor

/// Where frames lie in bytes and in time, for one unbroken stretch of the file. Every 16th frame is noted, so that an hour
/// takes some 200 KB at most.
struct FrameTimeline {
  /// Frames of one rate and one encoder: a rate change or another file glued on starts the next.
  struct Segment {
    /// Of its first audible sample.
    var start: Double
    var sampleRate: Int
    var samplesPerFrame: Int
    /// Samples the encoder and the decoder put in front, never heard.
    var skip: Int64
    /// The first sample not to be heard any more (the encoder's padding).
    var limit: Int64?
    /// Frames that there are if the limit is true: one more, and it was not.
    var limitFrames: Int64?

    func seconds(at sample: Int64) -> Double {
      start + Double(min(max(sample, skip), limit ?? .max) - skip) / Double(sampleRate)
    }

    func sample(at seconds: Double) -> Int64 {
      skip + Int64(clamping: (seconds - start) * Double(sampleRate))
    }
  }

  struct Place {
    var offset: Int64
    var segment: Int
    /// Within the segment, of the frame's first sample.
    var sample: Int64
  }

  private static let interval: Int64 = 16

  private(set) var segments: [Segment]
  private(set) var places: [Place]
  /// Where the next frame is expected; the stretch grows here.
  private(set) var end: Place
  /// The frame to be passed next, somewhere in the stretch or at its end.
  private(set) var cursor: Place
  /// The numbers are right, not guessed.
  let isExact: Bool

  init(_ segment: Segment, offset: Int64, sample: Int64, isExact: Bool) {
    segments = [segment]
    end = Place(offset: offset, segment: 0, sample: sample)
    cursor = end
    places = [end]
    self.isExact = isExact
  }

  var startSeconds: Double { seconds(places[0]) }
  var endSeconds: Double { seconds(end) }
  var cursorSeconds: Double { seconds(cursor) }
  var cursorSegment: Segment { segments[cursor.segment] }

  func seconds(_ place: Place) -> Double { segments[place.segment].seconds(at: place.sample) }

  mutating func rewind(to place: Place) { cursor = place }

  /// Frames of another kind, or of another file, begin at `offset`.
  mutating func enter(_ segment: Segment, at offset: Int64) {
    if cursor.segment + 1 < segments.count {
      cursor = Place(offset: offset, segment: cursor.segment + 1, sample: 0)
      return
    }
    var segment = segment
    segment.start = cursorSeconds
    segments.append(segment)
    cursor = Place(offset: offset, segment: segments.count - 1, sample: 0)
    end = cursor
    places.append(end)
  }

  /// `other`, which begins where this one ends, becomes part of it; its clock is put right by `shift` seconds.
  mutating func join(_ other: FrameTimeline, shift: Double) {
    let (last, first) = (segments[end.segment], other.segments[0])
    // The same kind of frames: they are numbered on.
    let isSame = last.sampleRate == first.sampleRate && last.samplesPerFrame == first.samplesPerFrame
    let base = isSame ? end.segment : segments.count
    let numbers = isSame ? end.sample - other.places[0].sample : 0
    for var segment in other.segments.dropFirst(isSame ? 1 : 0) {
      segment.start += shift
      segments.append(segment)
    }
    func moved(_ place: Place) -> Place {
      Place(
        offset: place.offset, segment: place.segment + base, sample: place.sample + (place.segment == 0 ? numbers : 0))
    }
    places += other.places.map(moved)
    end = moved(other.end)
    cursor = moved(other.cursor)
  }

  /// A frame was met; gives its number.
  mutating func pass(_ offset: Int64, _ size: Int) -> Place {
    let place = Place(offset: offset, segment: cursor.segment, sample: cursor.sample)
    let length = Int64(segments[cursor.segment].samplesPerFrame)
    if let frames = segments[place.segment].limitFrames, place.sample / length >= frames { dropLimit(of: place.segment) }
    cursor = Place(offset: offset + Int64(size), segment: place.segment, sample: place.sample + length)
    if cursor.offset > end.offset {
      end = cursor
      if (place.sample / length) % Self.interval == 0, places[places.count - 1].offset < offset { places.append(place) }
    }
    return place
  }

  /// So many frames of one size, up to the one at `offset`, were not looked at.
  mutating func leap(_ frames: Int64, to offset: Int64) {
    let segment = segments[cursor.segment]
    let start = cursor
    cursor = Place(offset: offset, segment: start.segment, sample: start.sample + frames * Int64(segment.samplesPerFrame))
    if let most = segment.limitFrames, cursor.sample / Int64(segment.samplesPerFrame) > most { dropLimit(of: start.segment) }
    guard offset > end.offset else { return }
    end = cursor
    for place in [start, cursor] where places[places.count - 1].offset < place.offset { places.append(place) }
  }

  /// From the cursor to where this part ends by its own header.
  var framesToLimit: Int64? {
    let segment = segments[cursor.segment]
    return segment.limitFrames.map { $0 - cursor.sample / Int64(segment.samplesPerFrame) }
  }

  /// The one after `place`, which is noted, where frames of one size were leapt over between them.
  func farSide(of place: Place) -> Place? {
    guard let index = places.lastIndex(where: { $0.offset <= place.offset }), index + 1 < places.count else { return nil }
    let next = places[index + 1]
    let length = Int64(segments[place.segment].samplesPerFrame)
    return next.segment == place.segment && next.sample - place.sample > 2 * Self.interval * length ? next : nil
  }

  mutating func dropLimit(of segment: Int) { (segments[segment].limit, segments[segment].limitFrames) = (nil, nil) }

  /// The last noted place from which `frames` frames can be decoded before `seconds` is reached; the first place if there is none.
  func place(before seconds: Double, frames: Int) -> Place {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      let segment = segments[places[middle].segment]
      let lead = Double(frames * segment.samplesPerFrame) / Double(segment.sampleRate)
      if self.seconds(places[middle]) + lead <= seconds { low = middle + 1 } else { high = middle }
    }
    return places[max(0, low - 1)]
  }
}

extension Int64 {
  /// Rounded; the nearest bound for what does not fit.
  init(clamping value: Double) {
    let rounded = value.rounded()
    self = Int64(exactly: rounded) ?? (rounded > 0 ? .max : rounded < 0 ? .min : 0)
  }
}

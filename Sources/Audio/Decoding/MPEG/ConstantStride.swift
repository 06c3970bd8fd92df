import Formats

/// Leaps over frames of one size. Where they stand can be reckoned, and whether they still stand there is seen by looking at a few of them:
/// files glued together, with their tags between, cost some looks for each, not all of their bytes.
///
/// Behind a break the frames stand elsewhere, but for one break in fifty or so, at which they happen to stand in step.
struct ConstantStride {
  /// So many frames of one size in a row, before it is believed of those that follow.
  private static let proof: Int64 = 64
  /// Fewer are walked.
  private static let least: Int64 = 256
  /// How exactly the break is looked for.
  private static let grain: Int64 = 32

  /// How many places were looked at, each far from the others.
  private(set) var looks: Int64 = 0
  private var survey = BitrateSurvey()
  private var end: Int64 = -1
  /// Before it there is a break: it is walked over.
  private var notBefore: Int64 = 0

  /// A frame that was passed.
  mutating func note(_ frame: FrameWalker.Frame) {
    if frame.offset != end { survey = BitrateSurvey() }
    survey.add(frame)
    end = frame.offset + Int64(frame.size)
  }

  /// The furthest frame before `limit` up to which all stand in step from the walker's place on, and how many frames away it is; nil: the
  /// next ones are to be walked.
  /// - Parameter told: how many there are until the break, by the header of this part.
  mutating func leap(
    from walker: FrameWalker, upTo limit: Int64, told: Int64?
  ) throws(DecoderError) -> (frames: Int64, offset: Int64)? {
    guard walker.position == end, end >= notBefore, survey.frames >= Self.proof,
      let size = survey.exactFrameBytes(freeFormatBytes: walker.freeFormatBytes), let first = survey.first
    else { return nil }
    let start = end
    let most = Int64(clamping: Double(limit - start) / size) - 4
    guard most >= Self.least else { return nil }
    var probe = walker
    func standing(_ frames: Int64) throws(DecoderError) -> Int64? {
      looks += 1
      let expected = start + Int64(clamping: Double(frames) * size)
      for distance: Int64 in [0, -1, 1, -2, 2] {
        guard try probe.isFrame(at: expected + distance), let word = try walker.window.word(at: expected + distance),
          MPEGHeader(word)?.bitrate == first.bitrate
        else { continue }
        return expected + distance
      }
      return nil
    }
    var (low, high) = (Int64(0), most)
    var reached = start
    if let told, told > Self.grain, told < most, let offset = try standing(told - 4) {
      (low, reached) = (told - 4, offset)
      if try standing(told + Self.grain) == nil { high = told + Self.grain }
    }
    if high == most, let offset = try standing(most) { (low, reached) = (most, offset) }
    while high - low > Self.grain * 2 {
      let middle = (low + high) / 2
      if let offset = try standing(middle) { (low, reached) = (middle, offset) } else { high = middle }
    }
    notBefore = reached + Int64(Double(Self.proof + Self.grain) * size)
    guard low >= Self.least else { return nil }
    end = reached
    return (low, reached)
  }
}

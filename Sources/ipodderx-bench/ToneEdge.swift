/// A change from one known tone of the made files to the next, as it was heard: it tells the place in the file to a few milliseconds.
struct ToneEdge {
  var place: Double
  /// When it was heard (`now()`).
  var time: Double

  /// The first one in `heard`; where the two tones are found more than once in the file, the one nearest to `place`.
  static func first(in heard: [Recorder.Moment], near place: Double, within: Double) -> ToneEdge? {
    let loud = heard.filter(\.isSound)
    guard loud.count > 20 else { return nil }
    for index in 8..<(loud.count - 8) {
      let before = middle(loud[(index - 8)..<index])
      let after = middle(loud[index..<(index + 8)])
      guard abs(before - after) > 8 else { continue }
      let steps: Int = Int(Double(Stage.seconds) / MadeFile.step)
      var edges: [Double] = []
      for step in 1..<steps {
        let edge = Double(step) * MadeFile.step
        guard abs(edge - place) < within, abs(MadeFile.pitch(at: edge - 1) - before) < 6 else { continue }
        if abs(MadeFile.pitch(at: edge + 1) - after) < 6 { edges.append(edge) }
      }
      if let edge = edges.min(by: { abs($0 - place) < abs($1 - place) }) {
        return ToneEdge(place: edge, time: loud[split(loud, index - 8..<index + 8, before, after)].time)
      }
    }
    return nil
  }

  /// The last one in `heard`.
  static func last(in heard: [Recorder.Moment], near place: Double, within: Double) -> ToneEdge? {
    let seconds = Int(MadeFile.step) + 2
    guard let end = heard.last?.time else { return nil }
    for back in 1...4 {
      let part = heard.drop { $0.time < end - Double(seconds * back) }
      if let edge = first(in: Array(part), near: place, within: within) { return edge }
    }
    return nil
  }

  /// The windows differ a little before the tones do: where within `range` do the moments best fall into two?
  private static func split(_ loud: [Recorder.Moment], _ range: Range<Int>, _ before: Double, _ after: Double) -> Int {
    func misfit(_ index: Int) -> Double {
      loud[range.lowerBound..<index].reduce(0) { $0 + min(100, abs($1.pitch - before)) }
        + loud[index..<range.upperBound].reduce(0) { $0 + min(100, abs($1.pitch - after)) }
    }
    return range.min { misfit($0) < misfit($1) } ?? range.lowerBound
  }

  private static func middle(_ moments: ArraySlice<Recorder.Moment>) -> Double {
    moments.map(\.pitch).sorted()[moments.count / 2]
  }
}

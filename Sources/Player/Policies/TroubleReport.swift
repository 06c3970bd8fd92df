import Reactor

/// What the log says of sound that does not come: a line when it begins, when it is for another reason, when it is given up, and when
/// there is sound again. Every change of words is not worth a line while a road is bad: one a minute is. Pure.
struct TroubleReport {
  static let interval = Duration.seconds(60)

  private var said = ""
  private var saidOf = ""
  private var saidAt = Duration.zero
  private var hadBeenWanted = false

  enum Line: Equatable {
    case trouble(String)
    case over(String)
  }

  /// - Parameters:
  ///   - problem: what keeps the sound away, as the faces show it; empty: nothing does.
  ///   - title: of what plays, and only that can sound again; empty where nothing is loaded.
  ///   - isWanted: it is waited for, and not paused or given up.
  mutating func see(_ problem: String, title: String, isWanted: Bool, isPlaying: Bool, at now: Duration) -> Line? {
    // Seen at every change, and hardly ever a word.
    var subject: String { title.isEmpty ? "" : "“\(title.brief)”" }
    guard !problem.isEmpty else {
      guard !said.isEmpty, isPlaying || !isWanted else { return nil }
      said = ""
      return isPlaying && title == saidOf ? .over("\(subject) sounds again.") : nil
    }
    let isNews = problem != said && (said.isEmpty || !isWanted || now - saidAt >= Self.interval)
    let isGivenUp = hadBeenWanted && !isWanted
    hadBeenWanted = isWanted
    guard isNews || isGivenUp else { return nil }
    (said, saidOf, saidAt) = (problem, title, now)
    return .trouble(subject.isEmpty ? problem : "\(subject) \(isWanted ? "waits" : "is paused"): \(problem)")
  }
}

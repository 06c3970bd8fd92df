import Audio
import Reactor

/// What Next and Previous mean (settings `next` and `car.next`), and what they come to in a situation.
///
/// - `episode`: the queue's next, the history's last.
/// - `skip`: so many seconds on or back within the episode; where it cannot be sought in, as `episode`.
/// - `chapter`: the next chapter's start; the start of this one, or of the one before within its first 3 s; beyond the first and the
///   last, and where there are none, as `episode`.
public enum NextAction: String, Sendable {
  case episode, skip, chapter

  enum Step: Equatable {
    case nothing
    case seekBy(MediaTime)
    case seekTo(MediaTime)
    case nextEpisode
    case previousEpisode
  }

  /// All that the meaning depends on.
  struct Situation {
    var isLoaded = false
    var isSeekable = false
    var place = MediaTime.zero
    var chapters: [MediaChapter] = []
    var hasNext = false
    var hasPrevious = false
    var skipForward = MediaTime.seconds(30)
    var skipBack = MediaTime.seconds(15)
  }

  /// So close to a chapter's start Previous means the chapter before.
  static let chapterStart = MediaTime.seconds(3)

  func next(_ s: Situation) -> Step {
    let episode: Step = s.hasNext ? .nextEpisode : .nothing
    guard s.isLoaded, s.isSeekable else { return episode }
    switch self {
    case .episode:
      return episode
    case .skip:
      return .seekBy(s.skipForward)
    case .chapter:
      guard let following = s.chapters.first(where: { $0.start > s.place }) else { return episode }
      return .seekTo(following.start)
    }
  }

  func previous(_ s: Situation) -> Step {
    let episode: Step = s.hasPrevious ? .previousEpisode : .nothing
    guard s.isLoaded, s.isSeekable else { return episode }
    switch self {
    case .episode:
      return episode
    case .skip:
      return .seekBy(.zero - s.skipBack)
    case .chapter:
      let started = s.chapters.filter { $0.start <= s.place }
      guard let current = started.last else { return episode }
      if s.place - current.start >= Self.chapterStart { return .seekTo(current.start) }
      guard started.count > 1 else { return s.hasPrevious ? .previousEpisode : .seekTo(current.start) }
      return .seekTo(started[started.count - 2].start)
    }
  }

  /// What a face may offer; true exactly when the action can act (field rule 30).
  func abilities(_ s: Situation, canPlay: Bool) -> TransportAbilities {
    var abilities = TransportAbilities()
    abilities.canGoNext = next(s) != .nothing
    abilities.canGoPrevious = previous(s) != .nothing
    abilities.canPlay = canPlay
    abilities.canPause = s.isLoaded
    abilities.canSeek = s.isLoaded && s.isSeekable
    return abilities
  }
}

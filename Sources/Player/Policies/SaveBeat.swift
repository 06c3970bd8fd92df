import Reactor

/// The one timer of steady playback: places are saved on it, and what is due soon is looked at.
/// `kill -9` may cost ten seconds of place, so the beat and its leeway together are ten.
enum SaveBeat {
  static let interval = Duration.seconds(8)
  static let leeway = Duration.seconds(2)
  /// What follows is opened this long (of listening) before the end, so that it goes on without a gap and nothing is fetched in vain.
  static let prepareAhead = 40.0
}

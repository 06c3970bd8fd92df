import Reactor

/// When an end is the end: the decoded end, or 95 % and more where the file ends early. An earlier end is a fault (`design.md`, Saving).
enum FinishRule {
  static let share = 0.95

  /// - Parameter length: what the file says of itself, else what the feed says. Unknown: the decoded end is all there is to go by.
  static func isFinished(endedAt place: MediaTime, length: MediaTime?) -> Bool {
    guard let length, length > .zero else { return true }
    return place.seconds >= length.seconds * share
  }
}

/// Read is set once, when 90 % was heard.
enum ReadRule {
  static let share = 0.9

  static func isRead(at place: MediaTime, length: MediaTime?) -> Bool {
    guard let length, length > .zero else { return false }
    return place.seconds >= length.seconds * share
  }
}

import Reactor

/// What a file says of itself.
struct FileTags {
  var title: String?
  var comment: String?
  var date: WallTime?
  /// Seconds.
  var duration: Double?
  var chapters: [ServedChapter] = []

  static func read(_ path: String) -> FileTags { FileTags() }
}

import Reactor

/// `feed.json` beside the audio: what its tags do not say, or say worse. Everything in it may be left out.
struct FeedWords: Decodable {
  struct Episode: Decodable {
    var guid: String?
    var title: String?
    /// ISO 8601.
    var published: String?
    var summary: String?
    /// HTML.
    var notes: String?
    var link: String?
    /// Seconds; of files whose own bytes do not tell it cheaply.
    var duration: Double?
  }

  var title: String?
  var site: String?
  private var named: [String: Episode]?

  /// By file name.
  var episodes: [String: Episode] { named ?? [:] }

  private enum CodingKeys: String, CodingKey {
    case title, site
    case named = "episodes"
  }

  init?(_ path: String) {
    guard let words = SmallFile.json(FeedWords.self, path) else {
      Log.warning("\(path) is not understood and left out")
      return nil
    }
    self = words
  }
}

import Audio
import Library
import Media
import Reactor

/// The entry that plays (or would, at Play), with what was learnt of it.
struct Current {
  var entry: QueueEntry
  /// Nil for a foreign file.
  var item: Item?
  var now: NowPlaying
  var length: EpisodeLength

  /// What the engine calls it; nil while it is not loaded there.
  var token: UInt64?
  /// Its first sound was ready once: the engine knows where it is.
  var isStarted = false
  /// The engine ran out of its sound, and has not had it again.
  var isStarved = false
  var isDescribed = false
  /// A place has to wait until all before it has come.
  private(set) var comesInOrder = false
  /// The file is cut off: how long all of it would be.
  var whole: MediaTime? { length.whole }
  /// Where it would go on, in the original's time, as the library knew when it was made ready.
  private(set) var place = MediaTime.zero
  private(set) var placeStamp: WallTime?
  /// Where it was told to begin or to go on, in the file's time, and where it came to: a file that is cut off may not reach so far.
  var asked = MediaTime.zero
  var landed: MediaTime?
  /// The file's own, in its own time; and the server's, in the original's.
  private var fileChapters: [MediaChapter] = []
  private var serverChapters: [MediaChapter] = []
  /// Original's length divided by that of the file that plays (dead air).
  private(set) var ratio = 1.0
  /// Where to load it, in the original's time, when that is not simply its saved place.
  var target: MediaTime?
  /// When the listener was last at its place: it sounded, or was sought in. Only then is the place ours to write, with this stamp and no
  /// later one: of two players the one that was listened to later has the newer place, not the one that was left later.
  var touched: WallTime?
  /// The stamp of the place that was last written.
  var written: WallTime?
  var readIsSet = false
  /// Its end was heard and it stays loaded: Play starts what follows.
  var isAtEnd = false
  var earlyEnds = EarlyEnd()
  var attempts = 0

  var isTouched: Bool { touched != nil }

  var episode: ItemID? {
    if case .episode(let id) = entry.content { id } else { nil }
  }

  /// From the library's own words.
  init(entry: QueueEntry, detail: ItemDetail) {
    let item = detail.item
    self.entry = entry
    self.item = item
    place = detail.place ?? .zero
    placeStamp = detail.placeStamp
    length = EpisodeLength(feed: item.length)
    readIsSet = item.isRead
    now = NowPlaying(
      entry: entry, title: item.title, show: item.feedTitle ?? entry.show, notes: detail.notes,
      link: detail.link ?? detail.address,
      published: item.published, length: length.shown, isSeekable: true, artPath: item.artPath, useCount: item.isRead ? 1 : 0)
  }

  /// A foreign file, or an episode the library does not know any more.
  init(entry: QueueEntry) {
    self.entry = entry
    length = EpisodeLength(feed: entry.length)
    var link: String?
    if case .foreign(let url) = entry.content { link = ForeignAddress.shown(url) }
    now = NowPlaying(
      entry: entry, title: entry.title, show: entry.show, link: link, length: length.shown, isSeekable: true)
  }

  /// Takes over what the library says of the item now.
  mutating func learn(_ item: Item) {
    self.item = item
    now.title = item.title
    now.show = item.feedTitle ?? now.show
    now.published = item.published
    now.artPath = item.artPath
    if !isDescribed, let length = item.length.map(inFile), length > .zero, length != self.length.shown {
      self.length = EpisodeLength(feed: length, bytes: self.length.bytes)
      now.length = length
    }
  }

  /// Takes over what the file says of itself.
  mutating func learn(_ description: MediaDescription) {
    isDescribed = true
    now.isSeekable = description.isSeekable
    comesInOrder = description.comesInOrder
    if length.learn(description) { now.length = length.shown }
    fileChapters = description.chapters
    chooseChapters()
    guard item == nil else { return }
    if let title = description.title, !title.isEmpty { now.title = title }
    if let show = description.show, !show.isEmpty { now.show = show }
    if let notes = description.notes { now.notes = notes }
  }

  /// The ear is at `place` of the file that plays. True where that is beyond what was known as its length.
  mutating func outgrow(_ place: MediaTime) -> Bool {
    guard length.outgrow(place) else { return false }
    now.length = nil
    return true
  }

  /// Takes over the server's chapters, which are told in the original's time.
  mutating func learn(chapters: [(start: MediaTime, title: String)]) {
    guard !chapters.isEmpty else { return }
    serverChapters = chapters.map { MediaChapter(start: $0.start, title: $0.title) }
    chooseChapters()
  }

  /// What the file says of itself is the nearest to its sound, and the server's fill where it says nothing. In a cut the file's own may be
  /// copies that still speak of the original, so there the server's come first.
  private mutating func chooseChapters() {
    let told = serverChapters.map { MediaChapter(start: inFile($0.start), title: $0.title) }
    let (first, second) = ratio == 1 ? (fileChapters, told) : (told, fileChapters)
    now.chapters = first.isEmpty ? second : first
  }

  func original(_ place: MediaTime) -> MediaTime {
    ratio == 1 ? place : MediaTime(seconds: place.seconds * ratio)
  }

  func inFile(_ original: MediaTime) -> MediaTime {
    ratio == 1 ? original : MediaTime(seconds: original.seconds / ratio)
  }

  /// The place to keep where the file ended at `end`: one that was asked for and is not there stays as it is.
  func kept(endedAt end: MediaTime) -> (place: MediaTime, isHeard: Bool) {
    guard let landed, landed.seconds < asked.seconds - 1, end.seconds < landed.seconds + Player.unseen else { return (end, true) }
    return (asked, false)
  }

  /// What is wrong with a file that ended at `end`.
  func earlyEnd(at end: MediaTime) -> String {
    guard let whole else { return "The file ends early: here it breaks off." }
    return "The file is cut off: only \(end.clock) of \(whole.clock) is there."
  }

  /// The file that plays is so many times shorter than the original, as the library tells when it opens it.
  mutating func take(ratio: Double) {
    let ratio = ratio.isFinite && ratio > 0 ? ratio : 1
    if length.scale(by: ratio / self.ratio) { now.length = length.shown }
    self.ratio = ratio
  }

  /// The length of the original.
  var originalLength: MediaTime? { now.length.map(original) }

  /// The same where it is sure enough to call the episode heard by it.
  var trustedLength: MediaTime? { length.trusted.map(original) }
}

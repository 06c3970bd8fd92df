import Audio
import Reactor

/// How long an episode is, of all who say something about it: the feed, the file's header, the bytes that are there, and the sound itself.
///
/// - What the file says of itself stands, unless it is only a part of what it should be.
/// - One witness against the bytes is not enough for that. Feeds are often wrong about lengths, and headers sometimes (field rule 109); but two
///   who agree with each other against what is there are believed.
/// - Where the file does not say, the feed's word stands until the file speaks against it: by more bytes than so short a sound can have, by
///   sound and bytes that have come so far, or by sound beyond it. Then nobody knows, and nothing is refused for being too far.
/// - What is shown changes at most twice, for scrobblers count a new play at each change (field rule 28), and once more to unknown.
///
/// All in the time of the file that plays.
struct EpisodeLength {
  /// Two who mean the same length differ by no more.
  static let agreement = 0.1
  /// The server's two words, of length and of size, must both tell more than twice what is there (advertisements come and go), …
  static let part = 0.5
  /// … and by about the same factor: the part of the length is the part of the size.
  static let likeness = 1.5
  /// Padding, rounding, and the sound server's own opinion of its clock.
  static let slack = MediaTime(microseconds: 500_000)
  /// The most that MPEG audio needs in a second, free format included.
  static let mostBytesPerSecond = 80_000.0
  /// How far beyond the feed's word an estimate must be that rests on so much sound.
  static let refuting: [(basis: MediaTime, factor: Double)] = [(.seconds(60), 1.25), (.seconds(10), 2)]

  /// The server's words.
  private(set) var feed: MediaTime?
  var bytes: Int64?

  /// What is shown; nil: unknown.
  private(set) var shown: MediaTime?
  /// The file is only a part: how long all of it would be.
  private(set) var whole: MediaTime?
  /// By which it may be called heard before its end: one that more than a mere feed has told, or that nothing speaks against.
  var trusted: MediaTime? { isFeedDoubted ? nil : shown }

  private var isFromFile = false
  /// The file and the feed differ, though not so far that it could not be the file's beginning only.
  private var isFeedDoubted = false
  private var isFeedRefuted = false
  /// The file's own word, and one correction of it.
  private var changesLeft = 2
  /// Sound was there.
  private var reached = MediaTime.zero

  init(feed: MediaTime?, bytes: Int64? = nil) {
    self.bytes = bytes
    self.feed = feed.flatMap { $0 > .zero ? $0 : nil }
    shown = self.feed
  }

  /// The feed's word in the time of a file that is so many times shorter than the one before. True when `shown` is another one now.
  mutating func scale(by factor: Double) -> Bool {
    guard factor != 1, factor > 0, let feed else { return false }
    self.feed = MediaTime(seconds: feed.seconds / factor)
    guard !isFromFile, shown != nil else { return false }
    shown = self.feed
    return true
  }

  /// Takes in what the file says. True when `shown` is another one now.
  mutating func learn(_ file: MediaDescription) -> Bool {
    whole = whole(of: file)
    if let told = whole ?? file.length { return learn(told) }
    guard !isFromFile, let feed else { return false }
    isFeedDoubted = file.estimate.map { $0.length.seconds > feed.seconds * (1 + Self.agreement) } ?? false
    guard !isFeedRefuted, refutes(file, feed) else { return false }
    isFeedRefuted = true
    shown = nil
    return true
  }

  private mutating func learn(_ told: MediaTime) -> Bool {
    guard told > reached, told > .zero else { return false }
    (isFromFile, isFeedDoubted) = (true, false)
    guard told != shown, changesLeft > 0 else { return false }
    changesLeft -= 1
    shown = told
    return true
  }

  /// What sounds at `place` is no shorter, whoever said so: a feed that is wrong, a file made of several of which the first speaks for
  /// itself. True when `shown` is unknown now.
  mutating func outgrow(_ place: MediaTime) -> Bool {
    guard let shown, place > shown + Self.slack else { return false }
    reached = place
    self.shown = nil
    return true
  }

  private func refutes(_ file: MediaDescription, _ feed: MediaTime) -> Bool {
    if file.format.hasPrefix("MP"), let bytes = file.bytes, Double(bytes) > feed.seconds * Self.mostBytesPerSecond { return true }
    guard let estimate = file.estimate else { return false }
    return Self.refuting.contains { estimate.basis >= $0.basis && estimate.length.seconds > feed.seconds * $0.factor }
  }

  private func whole(of file: MediaDescription) -> MediaTime? {
    // An index that names sound which is not there needs no second witness; a header of MPEG audio is copied from anywhere.
    guard let feed = feed?.seconds else { return file.format.hasPrefix("MP") ? nil : file.claimed }
    if let claimed = file.claimed, abs(claimed.seconds - feed) <= Self.agreement * feed { return claimed }
    guard let length = file.length?.seconds, length > 0, let there = file.bytes, there > 0, let bytes, bytes > 0 else {
      return nil
    }
    let (time, size) = (length / feed, Double(there) / Double(bytes))
    guard time < Self.part, size < Self.part, max(time, size) <= Self.likeness * min(time, size) else { return nil }
    return MediaTime(seconds: feed)
  }
}

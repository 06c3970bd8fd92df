import Audio
import Reactor
import Testing

@testable import Player

@Suite("Player: how long an episode is") struct EpisodeLengthTests {
  private static func file(
    _ length: Double?, claimed: Double? = nil, bytes: Int64? = nil, format: String = "MP3",
    estimate: (length: Double, basis: Double)? = nil
  ) -> MediaDescription {
    var file = MediaDescription(length: length.map(MediaTime.init(seconds:)), format: format)
    file.claimed = claimed.map(MediaTime.init(seconds:))
    file.bytes = bytes
    file.estimate = estimate.map {
      LengthEstimate(length: MediaTime(seconds: $0.length), basis: MediaTime(seconds: $0.basis))
    }
    return file
  }

  private static func whole(of file: MediaDescription, feed: MediaTime?, bytes: Int64?) -> MediaTime? {
    var length = EpisodeLength(feed: feed, bytes: bytes)
    _ = length.learn(file)
    return length.whole
  }

  @Test("header and feed agree against what is there: cut off, and the whole is what the header says")
  func headerAndFeed() {
    #expect(Self.whole(of: Self.file(3.7, claimed: 200), feed: .seconds(205), bytes: nil) == .seconds(200))
    #expect(Self.whole(of: Self.file(185, claimed: 200), feed: .seconds(200), bytes: nil) == .seconds(200))
  }

  @Test("one witness is not enough: a header that nobody agrees with, a feed's wrong length, a feed's wrong size")
  func oneWitness() {
    #expect(Self.whole(of: Self.file(420, claimed: 4320), feed: .seconds(425), bytes: 100) == nil)
    #expect(Self.whole(of: Self.file(420, claimed: 4320), feed: nil, bytes: nil) == nil)
    #expect(Self.whole(of: Self.file(420, claimed: 4320, format: "AAC"), feed: .seconds(425), bytes: 100) == nil)
    #expect(Self.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: nil) == nil)
    #expect(Self.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: 30_000) == nil)
    #expect(Self.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(4), bytes: 1_600_000) == nil)
    #expect(Self.whole(of: Self.file(nil, bytes: 30_000), feed: .seconds(200), bytes: 1_600_000) == nil)
  }

  @Test("an index that names sound beyond the bytes is believed where nobody contradicts it")
  func indexAlone() {
    #expect(Self.whole(of: Self.file(28, claimed: 120, format: "AAC"), feed: nil, bytes: nil) == .seconds(120))
    #expect(Self.whole(of: Self.file(28, format: "AAC"), feed: nil, bytes: nil) == nil)
  }

  @Test("the server's length and size agree against both of the file: cut off; not where advertisements are missing")
  func lengthAndSize() {
    #expect(Self.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: 1_600_000) == .seconds(200))
    #expect(Self.whole(of: Self.file(3300, bytes: 52_800_000), feed: .seconds(3600), bytes: 57_600_000) == nil)
  }

  @Test("rule 28: a published length changes at most twice, whatever the file says")
  func rule28_lengthChanges() {
    for feed in [MediaTime.seconds(100), nil] {
      var length = EpisodeLength(feed: feed)
      let changes = (0..<50).count { length.learn(Self.file(200 + Double($0))) }
      #expect(changes == 2)
      #expect(length.shown == .seconds(201))
    }
    var length = EpisodeLength(feed: .seconds(-3))
    #expect(length.shown == nil)
    let learnt = [nil, 0, -1].map { length.learn(Self.file($0)) }
    #expect(learnt == [false, false, false])
  }

  @Test("a feed's length that is too short by far is unknown as soon as the file speaks against it, in whatever way")
  func refuted() {
    let feed = MediaTime.seconds(60)
    // Twelve minutes of 64 kbit/s would be six hundred in one.
    let against = [
      Self.file(nil, bytes: 5_760_000), Self.file(nil, bytes: 960_000, estimate: (121, 10)),
      Self.file(nil, format: "Opus", estimate: (720, 11)), Self.file(nil, estimate: (76, 60)),
    ]
    for file in against {
      var length = EpisodeLength(feed: feed)
      let isChanged = length.learn(file)
      #expect(isChanged && length.shown == nil && length.trusted == nil, "\(file)")
      // It does not come back by the same word, nor by a mere estimate.
      let again = length.learn(Self.file(nil, estimate: (61, 60)))
      #expect(!again && length.shown == nil)
      let found = length.learn(Self.file(720))
      #expect(found && length.shown == .seconds(720) && length.trusted == .seconds(720))
    }
    // Little sound says little: a beginning may be thinner than the rest. A file that says its length needs no witnesses.
    let notYet = [
      Self.file(nil, bytes: 960_000), Self.file(nil, estimate: (119, 10)), Self.file(nil, estimate: (70, 60)),
      Self.file(nil, bytes: 5_760_000, format: "FLAC"), Self.file(59.5, bytes: 5_760_000, estimate: (720, 60)),
    ]
    for file in notYet {
      var length = EpisodeLength(feed: feed)
      let isChanged = length.learn(file)
      #expect(length.shown != nil && isChanged == (file.length != nil), "\(file)")
    }
  }

  @Test("heard by 90 % of a length: of the file's, of a feed's that nothing speaks against, of no other")
  func trusted() {
    var length = EpisodeLength(feed: .seconds(600))
    #expect(length.trusted == .seconds(600))
    _ = length.learn(Self.file(nil, estimate: (670, 10)))
    #expect(length.trusted == nil && length.shown == .seconds(600), "it may be; nobody is told")
    _ = length.learn(Self.file(nil, estimate: (605, 20)))
    #expect(length.trusted == .seconds(600))
    _ = length.learn(Self.file(660, estimate: (670, 10)))
    #expect(length.trusted == .seconds(660))
    let isOutgrown = length.outgrow(.seconds(661))
    #expect(isOutgrown && length.trusted == nil && length.shown == nil)
  }

  @Test("of another cut of the same sound the feed's word is shortened; what a file said stays")
  func scaled() {
    var length = EpisodeLength(feed: .seconds(600))
    let isScaled = length.scale(by: 1.2)
    #expect(isScaled && length.shown == .seconds(500))
    _ = length.learn(Self.file(510))
    let isScaledBack = length.scale(by: 1 / 1.2)
    #expect(!isScaledBack && length.shown == .seconds(510) && length.feed == .seconds(600))
  }
}

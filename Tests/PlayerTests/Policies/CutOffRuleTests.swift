import Audio
import Reactor
import Testing

@testable import Player

@Suite("Player: which files are cut off") struct CutOffRuleTests {
  private static func file(_ length: Double?, claimed: Double? = nil, bytes: Int64? = nil) -> MediaDescription {
    var file = MediaDescription(length: length.map(MediaTime.init(seconds:)))
    file.claimed = claimed.map(MediaTime.init(seconds:))
    file.bytes = bytes
    return file
  }

  @Test("header and feed agree against what is there: cut off, and the whole is what the header says")
  func headerAndFeed() {
    #expect(CutOff.whole(of: Self.file(3.7, claimed: 200), feed: .seconds(205), bytes: nil) == .seconds(200))
    #expect(CutOff.whole(of: Self.file(185, claimed: 200), feed: .seconds(200), bytes: nil) == .seconds(200))
  }

  @Test("one witness is not enough: a header that nobody agrees with, a feed's wrong length, a feed's wrong size")
  func oneWitness() {
    #expect(CutOff.whole(of: Self.file(420, claimed: 4320), feed: .seconds(425), bytes: 100) == nil)
    #expect(CutOff.whole(of: Self.file(420, claimed: 4320), feed: nil, bytes: nil) == nil)
    #expect(CutOff.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: nil) == nil)
    #expect(CutOff.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: 30_000) == nil)
    #expect(CutOff.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(4), bytes: 1_600_000) == nil)
    #expect(CutOff.whole(of: Self.file(nil, bytes: 30_000), feed: .seconds(200), bytes: 1_600_000) == nil)
  }

  @Test("the server's length and size agree against both of the file: cut off; not where advertisements are missing")
  func lengthAndSize() {
    #expect(CutOff.whole(of: Self.file(3.7, bytes: 30_000), feed: .seconds(200), bytes: 1_600_000) == .seconds(200))
    #expect(CutOff.whole(of: Self.file(3300, bytes: 52_800_000), feed: .seconds(3600), bytes: 57_600_000) == nil)
  }
}

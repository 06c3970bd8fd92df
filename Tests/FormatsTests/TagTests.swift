import Reactor
import Testing

@testable import Formats

/// Tags as they are written, and as they come broken.
@Suite(.timeLimit(.minutes(1))) struct TagTests {
  private static func big(_ number: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) } }
  private static func little(_ number: Int) -> [UInt8] { Array(big(number).reversed()) }
  private static func syncsafe(_ number: Int) -> [UInt8] { [21, 14, 7, 0].map { UInt8(number >> $0 & 0x7f) } }

  private static func frame(_ id: String, _ body: [UInt8], _ version: UInt8) -> [UInt8] {
    var bytes = Array(id.utf8)
    bytes += version == 4 ? syncsafe(body.count) : big(body.count)
    bytes += [0, 0]
    return bytes + body
  }

  private static func text(_ id: String, _ text: String, _ version: UInt8) -> [UInt8] {
    let encoding: [UInt8] = [version == 4 ? 3 : 0]
    return frame(id, encoding + Array(text.utf8), version)
  }

  private static func chapter(_ number: Int, _ seconds: Int, _ version: UInt8) -> [UInt8] {
    var body = Array("ch\(number)\0".utf8)
    body += big(seconds * 1000)
    body += big(seconds * 1000 + 500)
    body += [UInt8](repeating: 0xff, count: 8)
    return frame("CHAP", body + text("TIT2", "Part \(number)", version), version)
  }

  private static func id3(_ version: UInt8) -> [UInt8] {
    var body = text("TIT2", "A title", version)
    body += text("TALB", "A show", version)
    body += chapter(2, 60, version)
    body += chapter(1, 0, version)
    let head: [UInt8] = Array("ID3".utf8) + [version, 0, 0]
    return head + syncsafe(body.count) + body
  }

  private static let vorbis: [UInt8] = {
    let comments = [
      "TITLE=A title", "ALBUM=A show", "CHAPTER001=00:00:00.000", "CHAPTER001NAME=Part 1", "CHAPTER002=00:01:00.000",
    ]
    var bytes = little(4) + Array("made".utf8)
    bytes += little(comments.count)
    for comment in comments { bytes += little(comment.utf8.count) + Array(comment.utf8) }
    return bytes
  }()

  private static let ape: [UInt8] = {
    var bytes = little(7) + little(0)
    bytes += Array("Title\0A title".utf8)
    let size = bytes.count + 32
    bytes += Array("APETAGEX".utf8)
    bytes += little(2000) + little(size)
    bytes += little(1) + little(0)
    return bytes + [UInt8](repeating: 0, count: 8)
  }()

  @Test("ID3v2 of both sizes of frames: title, show, chapters", arguments: [3, 4] as [UInt8])
  func id3v2(_ version: UInt8) throws {
    let tags = try #require(ID3v2Tag.read(ByteView(Self.id3(version))))
    #expect(tags.title == "A title" && tags.album == "A show")
    #expect(tags.chapters.sorted { $0.start < $1.start }.map(\.title) == ["Part 1", "Part 2"])
    #expect(tags.chapters.map(\.start).max() == .seconds(60))
  }

  @Test("Vorbis comments and APE items")
  func others() throws {
    let comments = try #require(VorbisComment.read(ByteView(Self.vorbis)))
    #expect(comments.title == "A title" && comments.chapters.count == 2)
    #expect(APEv2Tag.read(tail: ByteView(Self.ape))?.title == "A title")
  }

  @Test("rules 107, 115: whatever stands there, it is read to an end, and what comes out is bounded")
  func broken() {
    var chance = Chance(state: 20_261_130)
    let whole = [Self.id3(3), Self.id3(4), Self.vorbis, Self.ape]
    var read = 0
    for _ in 0..<4000 {
      var bytes = whole[chance.below(whole.count)]
      for _ in 0...chance.below(6) {
        let values: [UInt8] = [0, 0xff, UInt8(chance.below(256))]
        bytes[chance.below(bytes.count)] = values[chance.below(3)]
      }
      if chance.below(3) == 0 { bytes.removeLast(chance.below(bytes.count)) }
      let view = ByteView(bytes)
      for tags in [ID3v2Tag.read(view), VorbisComment.read(view), APEv2Tag.read(tail: view), ID3v1Tag.read(tail: view)] {
        guard let tags else { continue }
        read += 1
        #expect(tags.chapters.count <= 1000)
        #expect((tags.title?.utf8.count ?? 0) <= bytes.count * 4)
      }
      _ = SniffedFormat(head: view)
      if let header = MPEGHeader(view.big32(0) ?? 0) {
        _ = XingHeader(frame: view, header: header)
        _ = VBRIHeader(frame: view, header: header)
      }
    }
    // Most of what is only a little broken still gives something.
    #expect(read > 1000)
  }

  /// The same numbers in every run (SplitMix64).
  private struct Chance {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
      state &+= 0x9e37_79b9_7f4a_7c15
      var z = state
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return Int((z ^ (z >> 31)) % UInt64(max(1, bound)))
    }
  }
}

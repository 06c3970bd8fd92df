import Media
import TestKit
import Testing

@testable import Audio

@Suite("Decoding: what a file says of itself", .timeLimit(.minutes(4)))
struct TagsTests {
  private static let ffmpeg =
    "ffmpeg -v error -i IN -metadata title=Title -metadata album=Show -metadata artist=Voice -metadata comment=Words"

  @Test(
    "title, show and notes, of every kind",
    arguments: [
      "lame --quiet --tt Title --tl Show --ta Voice --tc Words IN OUT.mp3",
      "oggenc -Q -t Title -l Show -a Voice -c DESCRIPTION=Words IN -o OUT.ogg",
      "opusenc --quiet --title Title --album Show --artist Voice --comment DESCRIPTION=Words IN OUT.opus",
      "\(ffmpeg) OUT.m4a", "\(ffmpeg) OUT.flac", "\(ffmpeg) OUT.wv",
    ])
  func tags(_ command: String) async throws {
    let bytes = try await MadeFiles.shared.make(command, seconds: 3)
    let description = try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil, helper: BuiltHelper.program).description
    #expect(description.title == "Title")
    #expect(description.show == "Show", "the album, not who made it")
    #expect(description.notes == "Words")
  }

  @Test("as many chapters as there are, also where each is two comments")
  func manyChapters() async throws {
    let comments = (100..<300).map {
      "-c CHAPTER\($0)=00:00:0\($0 / 100).\($0 % 100 / 10)\($0 % 10)0 -c CHAPTER\($0)NAME=Part-\($0)"
    }
    let bytes = try await MadeFiles.shared.make("oggenc -Q \(comments.joined(separator: " ")) IN -o OUT.ogg", seconds: 4)
    let description = try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil, helper: BuiltHelper.program).description
    #expect(description.chapters.map(\.title) == (100..<300).map { "Part-\($0)" })
  }
}

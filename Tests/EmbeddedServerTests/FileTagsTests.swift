import Testing

@testable import EmbeddedServer

@Suite struct FileTagsTests {
  private let folder = TemporaryFolder()

  /// ID3v2.3 with one text frame.
  private func tag(_ id: String, _ text: String) -> [UInt8] {
    let body = [3] + Array(text.utf8)
    let frame = Array(id.utf8) + [0, 0, 0, UInt8(body.count), 0, 0] + body
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
  }

  @Test func constantBitrate_isMeasuredByTheBytesBehindTheTag() throws {
    let frames = Array(repeating: Silence.frame, count: 125).flatMap { $0 }
    try folder.write("a.mp3", tag("TIT2", "見出し") + frames)
    let tags = FileTags.read(folder.path + "/a.mp3")
    #expect(tags.title == "見出し")
    #expect(abs((tags.duration ?? 0) - 3) < 0.001)
  }

  @Test(
    arguments: [[], [0x49, 0x44, 0x33], Array("ID3\u{4}\0\0\u{7F}\u{7F}\u{7F}\u{7F}".utf8), Array(repeating: 0xFF, count: 9000)]
      as [[UInt8]])
  func whatIsNoSound_saysNothing(bytes: [UInt8]) throws {
    try folder.write("a.mp3", bytes)
    let tags = FileTags.read(folder.path + "/a.mp3")
    #expect(tags.title == nil && tags.duration == nil && tags.chapters.isEmpty)
  }

  @Test func missingFile_saysNothing() {
    #expect(FileTags.read(folder.path + "/none.mp3").title == nil)
  }
}

import TestKit

/// The same sound with all that is put in front of and behind MPEG audio.
extension Corpus {
  private static func around(
    _ name: String, bare: Bool = false, _ change: @escaping @Sendable ([UInt8]) -> [UInt8]
  ) -> CorpusFile {
    CorpusFile(name) {
      guard bare else { return (try await lameMade("-b 64")).wrapped(change) }
      let bytes = try await lame("-b 64 -t")
      return CorpusFile.Made.whole(
        bytes, seconds: seconds, delay: Double(MPEGBytes.delay) / 44100, length: MPEGBytes.seconds(bytes)
      ).wrapped(change)
    }
  }

  private static let title = TagBytes.text("TIT2", "A title")
  private static let title4 = TagBytes.text("TIT2", "A title", version: 4)

  static let wrapped: [CorpusFile] = [
    around("ID3v2.3") { TagBytes.id3(title + [UInt8](repeating: 0, count: 2000)) + $0 },
    around("ID3v2.2") {
      TagBytes.id3(Array("TT2".utf8) + [0, 0, 8, 0] + Array("A title".utf8) + [0, 0, 0, 0, 0, 0], version: 2) + $0
    },
    around("a picture of 300 KB with frames in it") { TagBytes.id3(title + TagBytes.picture(300_000)) + $0 },
    around("a picture of 5 MB with frames in it") { TagBytes.id3(title + TagBytes.picture(5 << 20)) + $0 },
    around("a picture of 5 MB, no header", bare: true) { TagBytes.id3(title + TagBytes.picture(5 << 20)) + $0 },
    around("a picture, unsynchronised 2.3") {
      TagBytes.id3(TagBytes.unsynchronised(title + TagBytes.picture(300_000)), flags: 0x80) + $0
    },
    around("a picture, unsynchronised 2.4") {
      TagBytes.id3(TagBytes.unsynchronised(title4 + TagBytes.picture(300_000, version: 4)), version: 4, flags: 0x80) + $0
    },
    around("ID3v2.4 with a footer") {
      TagBytes.id3(title4 + TagBytes.picture(50_000, version: 4), version: 4, flags: 0x10) + $0
    },
    around("ID3v2.4 with a footer, at the end") { $0 + TagBytes.id3(title4, version: 4, flags: 0x10) },
    around("ID3v2.4 with an extended header") {
      TagBytes.id3(MPEGBytes.syncsafe(6) + [1, 0] + title4, version: 4, flags: 0x40) + $0
    },
    around("iTunes: 2.4 with sizes that are not syncsafe") {
      TagBytes.id3(
        TagBytes.text("TIT2", String(repeating: "A title ", count: 40), version: 4, plainSize: true)
          + TagBytes.picture(200_000, version: 4, plainSize: true)
          + TagBytes.text("TALB", "An album", version: 4, plainSize: true),
        version: 4) + $0
    },
    around("three tags in a row") {
      TagBytes.id3(title) + TagBytes.id3(title4 + TagBytes.picture(70_000, version: 4), version: 4)
        + TagBytes.id3(title + [UInt8](repeating: 0, count: 1000)) + $0
    },
    around("a tag whose size is not syncsafe") {
      let body = title + TagBytes.picture(65_000)
      return TagBytes.id3(body, size: MPEGBytes.big(body.count)) + $0
    },
    around("a tag whose size is too small") {
      TagBytes.id3(title + TagBytes.picture(300_000), size: MPEGBytes.syncsafe(120_000)) + $0
    },
    around("a picture of 5 MB in a tag whose size is too small") {
      TagBytes.id3(title + TagBytes.picture(5 << 20), size: MPEGBytes.syncsafe(120_000)) + $0
    },
    around("a tag whose size is a little too small") {
      let body = title + TagBytes.picture(40_000)
      return TagBytes.id3(body, size: MPEGBytes.syncsafe(body.count - 10)) + $0
    },
    around("a tag whose size is too large") {
      let body = title + TagBytes.picture(40_000)
      return TagBytes.id3(body, size: MPEGBytes.syncsafe(body.count + 10)) + $0
    },
    around("a tag whose size is larger than the file") {
      TagBytes.id3(title + TagBytes.picture(40_000), size: MPEGBytes.syncsafe(100_000_000)) + $0
    },
    around("a tag with size zero") { TagBytes.id3(title + TagBytes.picture(40_000), size: [0, 0, 0, 0]) + $0 },
    around("a tag whose frames claim too much") {
      TagBytes.id3(Array("TIT2".utf8) + [0x7F, 0xFF, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0x41, count: 500)) + $0
    },
    around("a tag with a frame in the middle that is none") {
      TagBytes.id3(title + [0, 1, 2, 3, 4, 5, 6, 7] + TagBytes.picture(90_000)) + $0
    },
    around("padding forgotten by the tag") { TagBytes.id3(title) + [UInt8](repeating: 0, count: 5000) + $0 },
    around("ID3v1 behind", bare: true) { $0 + TagBytes.id3v1() },
    around("APE in front") { TagBytes.ape([("Title", Array("A title".utf8))]) + $0 },
    around("APE behind", bare: true) {
      $0 + TagBytes.ape([("Title", Array("A title".utf8)), ("Cover", [UInt8](repeating: 7, count: 30_000))])
    },
    around("APE with TAG in it behind", bare: true) {
      $0 + TagBytes.ape([("Title", Array("TAG TAG TAG".utf8)), ("TAG", [UInt8](repeating: 65, count: 20_000))])
    },
    around("APE without a header, then ID3v1", bare: true) {
      $0 + TagBytes.ape([("Comment", Array(repeating: 0x54, count: 9000)), ("TAG", Array("TAGTAG".utf8))], header: false)
        + TagBytes.id3v1()
    },
    around("Lyrics3 behind", bare: true) {
      $0 + TagBytes.lyrics3v2(String(repeating: "[00:01]TAG la la ", count: 500)) + TagBytes.id3v1()
    },
    around("Lyrics3 v1 behind", bare: true) {
      $0 + TagBytes.lyrics3v1(String(repeating: "la la ", count: 500)) + TagBytes.id3v1()
    },
    around("APE, Lyrics3 and ID3v1 behind", bare: true) {
      $0 + TagBytes.ape([("Cover", [UInt8](repeating: 0xFF, count: 20_000))]) + TagBytes.lyrics3v2("la la") + TagBytes.id3v1()
    },
    around("64 KB of vendor's junk in front") {
      var noise = SplitMix64(seed: 3)
      return noise.bytes(65_535) + $0
    },
    around("zeros in front") { [UInt8](repeating: 0, count: 65_535) + $0 },
    around("a false frame in front") { [0xFF, 0xFB, 0x90, 0x00] + [UInt8](repeating: 0, count: 3000) + $0 },
    around("half a frame in front", bare: true) { Array($0.suffix(150)) + $0 },
    around("junk behind") {
      var noise = SplitMix64(seed: 4)
      return $0 + noise.bytes(50_000)
    },
    around("junk behind, no header", bare: true) {
      var noise = SplitMix64(seed: 5)
      return $0 + noise.bytes(500)
    },
    around("zeros behind") { $0 + [UInt8](repeating: 0, count: 50_000) },
    around("half a frame behind", bare: true) { $0 + $0.prefix(150) },
  ]
}

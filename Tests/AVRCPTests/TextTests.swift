import Testing

@testable import AVRCP

@Suite struct TextTests {
  @Test(
    "text is cut at characters, whatever the limit",
    arguments: ["", "plain", "Grüße", "日本語の番組", "👨‍👩‍👧‍👦 family", "e\u{301}\u{302}x", "a\nb\tc"])
  func cut(_ text: String) {
    for limit in 0...(text.utf8.count + 2) {
      let bytes = Text.cut(text, to: limit)
      #expect(bytes.count <= limit)
      let back = String(validating: bytes, as: UTF8.self)
      #expect(back != nil)
      let flat = String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 })
      #expect(flat.unicodeScalars.starts(with: back?.unicodeScalars ?? "?".unicodeScalars))
      if limit >= text.utf8.count { #expect(back == flat) }
    }
  }

  @Test("a cluster is not taken apart unless nothing else fits")
  func clusters() {
    #expect(String(decoding: Text.cut("ab👨‍👩‍👧‍👦", to: 10), as: UTF8.self) == "ab")
    #expect(String(decoding: Text.cut("👨‍👩‍👧‍👦", to: 10), as: UTF8.self).unicodeScalars.first == "👨")
  }
}

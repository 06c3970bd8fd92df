import Testing

@testable import Store

@Suite struct SearchTextTests {
  @Test(
    "case and accents fold away, in every script that has them",
    arguments: [
      ("Ärger im BÜRO", "arger im buro"), ("Straße", "strasse"), ("Ηράκλειτος", "ηρακλειτοσ"), ("Ёлка", "елка"),
      ("ＦＭ８０２", "fm802"), ("naïve café", "naive cafe"), ("كِتَابٌ", "كتاب"), ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिन्दी"),
      ("e\u{301}te\u{301}", "ete"), ("soft\u{ad}hyphen", "softhyphen"), ("", ""), ("  — ", ""),
    ])
  func folds(_ text: String, _ folded: String) {
    #expect(SearchText.folded(text) == folded)
  }

  @Test("scripts without spaces are cut into overlapping pairs")
  func pairs() {
    #expect(SearchText.indexed("東京の夜 Tokyo").split(separator: " ") == ["東京", "京の", "の夜", "夜", "tokyo"])
    #expect(SearchText.expression("京の夜") == "\"京の\" \"の夜\"")
    #expect(SearchText.expression("夜") == "\"夜\"*")
  }

  @Test("a common whole word stands for itself, its beginning does not")
  func common() {
    #expect(SearchText.expression("Episode", isCommon: { $0 == "episode" }) == "\"episode\"")
    #expect(SearchText.expression("Episod", isCommon: { $0 == "episode" }) == "\"episod\"*")
    #expect(SearchText.expression("Epis", isCommon: { _ in true }) == "\"epis\"*")
  }

  @Test("nothing a person types is FTS syntax")
  func noSyntax() {
    #expect(SearchText.expression("NEAR(\"a\" OR b*) ^title:") == "\"near\"* \"a\" \"or\"* \"b\" \"title\"*")
    #expect(SearchText.expression("\"\"-*()") == nil)
  }

  @Test("a hundred thousand words make a bounded query")
  func bounded() {
    let long = String(repeating: "word ", count: 100_000) + String(repeating: "字", count: 100_000)
    #expect((SearchText.expression(long)?.utf8.count ?? 0) < 2000)
  }
}

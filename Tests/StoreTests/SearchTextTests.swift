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
    #expect(SearchText.expression("京の夜") == "\"京の\" AND \"の夜\"")
    #expect(SearchText.expression("夜") == "\"夜\"*")
  }

  @Test("a long beginning is looked for as the words that begin so, where they are few")
  func words() {
    let index = ["episodes", "episode", "episodic"]
    let words = { (beginning: String) in index.filter { $0.hasPrefix(beginning) } }
    #expect(SearchText.expression("Episode", words: words) == "(\"episodes\" OR \"episode\")")
    #expect(SearchText.expression("Episodi x", words: words) == "\"episodic\" AND \"x\"")
    #expect(SearchText.expression("Epis", words: words) == "\"epis\"*")
    #expect(SearchText.expression("Nothing", words: words) == "\"nothing\"")
    #expect(SearchText.expression("Episode", words: { _ in nil }) == "\"episode\"*")
  }

  @Test("nothing a person types is FTS syntax")
  func noSyntax() {
    #expect(SearchText.expression("NEAR(\"a\" OR b*) ^title:") == "\"near\"* AND \"a\" AND \"or\"* AND \"b\" AND \"title\"*")
    #expect(SearchText.expression("\"\"-*()") == nil)
  }

  @Test("a hundred thousand words make a bounded query")
  func bounded() {
    let long = String(repeating: "word ", count: 100_000) + String(repeating: "字", count: 100_000)
    #expect((SearchText.expression(long)?.utf8.count ?? 0) < 2000)
  }
}

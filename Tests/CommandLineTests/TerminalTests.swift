import Reactor
import Testing

@testable import CommandLine

@Suite struct TerminalTests {
  @Test func cut_countsColumns_andCutsAtCharacters() {
    #expect(Terminal.cut("short", to: 10) == "short")
    #expect(Terminal.cut("a longer text", to: 8) == "a longe…")
    #expect(Terminal.cut("日本語の題", to: 5) == "日本…")
    #expect(Terminal.columns(of: Terminal.cut("👩‍👩‍👧 family talk", to: 6)) <= 6)
    #expect(Terminal.cut("x", to: 0) == "")
  }

  @Test func printable_letsNothingDriveTheTerminal() {
    #expect("a\u{1b}[2Jb\u{7}\u{9b}c\nd".printable == "a [2Jb  c d")
    for scalar in (0...0x2069 as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
      let drives =
        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .lineSeparator
        || scalar.properties.generalCategory == .paragraphSeparator
      let turns = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      #expect("a\(scalar)b".printable == (turns ? "ab" : drives ? "a b" : "a\(scalar)b"), "\(scalar.value)")
    }
  }

  @Test func bar_staysInItsWidth() {
    for fraction in [-1, 0, 0.5, 1, 2, Double.infinity] {
      #expect(Terminal.columns(of: Terminal.bar(fraction, width: 20)) == 20)
    }
    #expect(Terminal.bar(0.5, width: 4) == "━━──")
  }

  static let keys: [([UInt8], [TerminalKey])] = [
    ([0x1B, 0x5B, 0x41], [.up]), ([0x1B], [.escape]), (Array("q".utf8), [.character("q")]),
    (Array("né".utf8), [.character("n"), .character("é")]), ([0x1B, 0x5B, 0x36, 0x7E, 0x0D], [.pageDown, .enter]),
    ([0x1B, 0x5B, 0x33, 0x7E, 0x61], [.character("a")]), ([0x7F, 0x03], [.backspace, .interrupt]), ([0x1B, 0x5B], []),
  ]

  @Test(arguments: keys) func parse_ofWhatATerminalSends(bytes: [UInt8], keys: [TerminalKey]) {
    #expect(TerminalKey.parse(bytes) == keys)
  }
}

import CommandLine
import Testing

@Suite struct InvocationTests {
  private static let command = Command(
    "thing", takes: "[A] [B]", count: 0...2, "Does a thing.",
    options: [.init("limit", "N", "how many"), .init("wait", nil, "until done")],
    printsData: true
  ) { _ throws(CommandError) in }

  private func parse(_ words: String...) throws(CommandError) -> Invocation {
    try Invocation.parse(words, for: Self.command, output: Output { _ in })
  }

  @Test func parse_sortsWords() throws {
    let invocation = try parse("a", "--limit", "5", "--json", "--wait", "--", "--b")
    #expect(invocation.arguments == ["a", "--b"])
    #expect(invocation.options == ["limit": "5", "wait": ""])
    #expect(invocation.output.isJSON)
    #expect(try parse("--limit=7").options == ["limit": "7"])
    #expect(try parse("-15").arguments == ["-15"])
  }

  static let wrong: [[String]] = [["--nothing"], ["--limit"], ["a", "b", "c"], ["--wait=3"], ["--json=1"]]

  @Test(arguments: wrong) func parse_refusesWrongWords_asUsage(words: [String]) {
    let error = #expect(throws: CommandError.self) { try Invocation.parse(words, for: Self.command, output: Output { _ in }) }
    #expect(error?.code == .usage)
    #expect(error?.description.isEmpty == false)
  }

  @Test func number_isBounded() throws {
    #expect(try parse("--limit", "5").number("limit", in: 1...10) == 5)
    #expect(try parse().number("limit", in: 1...10) == nil)
    for bad in ["0", "11", "x", "99999999999999999999"] {
      #expect(throws: CommandError.self) { try parse("--limit", bad).number("limit", in: 1...10) }
    }
  }
}

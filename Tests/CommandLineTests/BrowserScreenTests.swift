import DBus
import Testing

@testable import CommandLine

@Suite struct BrowserScreenTests {
  private func item(_ id: String, kept: String = "no", title: String = "A rather long title of an episode 東京") -> ListedItem {
    ListedItem(
      .vardict([
        ("id", .string(id)), ("title", .string(title)), ("subtitle", .string("18 Nov 2026 · 48 min left")),
        ("kind", .string("episode")),
        ("kept", .string(kept)), ("keptFraction", .double(0.5)), ("starred", .boolean(true)),
      ]))
  }

  private func list(_ items: [ListedItem], chosen: Int = 0, rows: Int) -> BrowsedList {
    var list = BrowsedList(title: "New")
    list.take(items, from: 0, total: items.count)
    list.chosen = chosen
    list.show(height: BrowserScreen.height(rows: rows))
    return list
  }

  @Test func keys_fit80Columns() {
    #expect(Terminal.columns(of: BrowserScreen.keys) <= 80)
  }

  @Test("whatever the size, nothing is higher or wider than the terminal, and the chosen row is seen", arguments: 1...12)
  func sizes(_ rows: Int) {
    let items = (0..<40).map { item("episode/\($0)") }
    for columns in [1, 2, 7, 8, 20, 33, 80, 200] {
      for chosen in [0, 1, 20, 39] {
        let screen = BrowserScreen.rows(
          of: list(items, chosen: chosen, rows: rows), path: ["ipodderx", "New"], foot: "1 of 40", empty: "", columns: columns,
          rows: rows)
        #expect(screen.count <= rows, "\(screen)")
        #expect(screen.allSatisfy { Terminal.columns(of: $0.text) <= columns }, "\(screen)")
        #expect(screen.count { $0.kind == .chosen } == 1)
      }
    }
  }

  @Test(
    "in a narrow terminal the title gives way, and how it is kept is seen",
    arguments: [("kept", "★ ⤓"), ("keeping", "★ ━━━━━─────"), ("queued", "★ ━━━━━───── …"), ("failed", "★ ✗"), ("no", "★")])
  func marks(_ kept: String, _ mark: String) {
    for columns in [24, 30, 40, 60, 80, 120] {
      let row = item("episode/1", kept: kept).row(width: columns)
      #expect(Terminal.columns(of: row) == columns)
      #expect(row.contains(mark), "\(row)")
      #expect(item("episode/1", kept: kept).line(width: columns).contains(mark))
    }
  }

  @Test("a terminal made larger, or a list grown shorter, leaves no row empty while there is something above")
  func larger() {
    var list = list((0..<40).map { item("episode/\($0)") }, chosen: 39, rows: 6)
    for (height, top) in [(3, 37), (10, 30), (4, 36), (40, 0), (100, 0), (1, 39)] {
      list.show(height: height)
      #expect(list.top == top)
    }
    list.take((0..<12).map { item("episode/\($0)") }, from: 0, total: 12)
    list.chosen = 11
    list.show(height: 10)
    #expect(list.top == 2)
  }

  @Test func emptyList_saysSo() {
    let screen = BrowserScreen.rows(
      of: list([], rows: 10), path: ["ipodderx"], foot: "0 of 0", empty: "Nothing here. The server cannot be reached.",
      columns: 40, rows: 10)
    #expect(screen[1].text.hasPrefix("Nothing here."))
    #expect(screen.count { $0.kind == .chosen } == 0)
  }
}

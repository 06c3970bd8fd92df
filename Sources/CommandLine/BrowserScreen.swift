/// What the browser shows, as rows of a terminal of a certain size: pure text, without its colours.
struct BrowserScreen {
  struct Row: Equatable {
    enum Kind { case title, item, chosen, foot, keys }

    var kind: Kind
    var text: String
  }

  /// At most 80 columns; a narrower terminal shows its beginning.
  static let keys = "↑↓ move  → open  ← back  space play  k keep  r heard  s star  / search  q end"

  /// Rows of the list on a terminal so high. The keys give way first, then the title, then the line under the list.
  static func height(rows: Int) -> Int { max(1, rows - 3) }

  /// - Parameters:
  ///   - path: the titles of the lists that led here.
  ///   - empty: what stands in place of a list of nothing.
  static func rows(
    of list: BrowsedList, path: [String], foot: String, empty: String, columns: Int, rows: Int
  ) -> [Row] {
    var screen: [Row] = []
    if rows > 2 { screen.append(Row(kind: .title, text: Terminal.cut(path.joined(separator: " › "), to: columns))) }
    for row in list.top..<(list.top + height(rows: rows)) {
      let text = list.rows[row]?.row(width: columns) ?? (row == 0 && list.total == 0 ? Terminal.cut(empty, to: columns) : "")
      screen.append(Row(kind: row == list.chosen && list.rows[row] != nil ? .chosen : .item, text: text))
    }
    if rows > 1 { screen.append(Row(kind: .foot, text: Terminal.cut(foot, to: columns))) }
    if rows > 3 { screen.append(Row(kind: .keys, text: Terminal.cut(keys, to: columns))) }
    return screen
  }
}

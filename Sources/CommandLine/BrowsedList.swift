/// One list of the browser: what of it is held, and a cursor that stays on its item while the list changes around it.
struct BrowsedList {
  var id = ""
  var title: String
  var search: String?
  /// The cursor's row.
  var chosen = 0
  /// The first row on the screen.
  var top = 0
  private(set) var total = 0
  /// Rows that were fetched, by their number.
  private(set) var rows: [Int: ListedItem] = [:]
  /// The ids of the rows that were held before the list changed, until the cursor is where it belongs again.
  private var former: [Int: String] = [:]

  init(id: String = "", title: String, search: String? = nil) {
    self.id = id
    self.title = title
    self.search = search
  }

  /// It changed since the cursor was last put in its place.
  var isStale: Bool { !former.isEmpty }

  /// The list is another now: nothing held is true any more.
  mutating func forget() {
    if !rows.isEmpty { former = rows.mapValues(\.id) }
    rows = [:]
  }

  /// After a change: the cursor goes to this item, where it is in the list again.
  mutating func follow(_ id: String) {
    if !former.isEmpty || total == 0 { former[chosen] = id }
  }

  /// Nothing of what was held is there any more: the cursor stays at its row.
  mutating func giveUp() { former = [:] }

  /// Takes over what was fetched; after a change the cursor goes to its item, or where that is gone to the next one below that is left,
  /// or above, and the screen moves along.
  mutating func take(_ items: [ListedItem], from offset: Int, total: Int) {
    self.total = total
    for (row, item) in items.enumerated() { rows[offset + row] = item }
    guard isStale else { return }
    let places = Dictionary(items.enumerated().map { ($1.id, offset + $0) }) { first, _ in first }
    let (former, row) = (former, chosen)
    let nearest = former.keys.filter { $0 >= row }.sorted() + former.keys.filter { $0 < row }.sorted(by: >)
    guard let place = nearest.lazy.compactMap({ former[$0].flatMap { places[$0] } }).first else { return }
    top = max(0, top + place - chosen)
    chosen = place
    self.former = [:]
  }

  /// Puts the cursor on a screen of `height` rows; no row stays empty while there is something above.
  mutating func show(height: Int) {
    let last = total > 0 ? total - height : top
    top = max(0, min(max(min(top, last), chosen - height + 1), chosen))
  }

  /// Whether all of `wanted` that there is has been fetched.
  func holds(_ wanted: Range<Int>) -> Bool {
    !rows.isEmpty && wanted.allSatisfy { $0 >= total || rows[$0] != nil }
  }
}

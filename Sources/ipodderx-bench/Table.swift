import Synchronization

/// Figures by contestant, printed as one table: ours first, then the peers, and the ratio of ours to the best of them.
final class Table: Sendable {
  struct Row {
    var figure: String
    var unit: String
    /// What the issues ask for, in words.
    var aim: String
    var values: [String: Double] = [:]
    /// Instead of numbers.
    var words: [String: String] = [:]
  }

  private let rows = Mutex<[Row]>([])
  let contestants: [String]

  init(contestants: [String]) {
    self.contestants = contestants
  }

  func set(_ figure: String, _ unit: String, aim: String, _ contestant: String, _ value: Double?) {
    guard let value else { return }
    with(figure, unit, aim) { $0.values[contestant] = value }
  }

  func set(_ figure: String, aim: String, _ contestant: String, words: String) {
    with(figure, "", aim) { $0.words[contestant] = words }
  }

  func value(_ figure: String, _ contestant: String) -> Double? {
    rows.withLock { $0.first { $0.figure == figure }?.values[contestant] }
  }

  private func with(_ figure: String, _ unit: String, _ aim: String, _ change: (inout Row) -> Void) {
    rows.withLock { rows in
      let at = rows.firstIndex { $0.figure == figure } ?? rows.endIndex
      if at == rows.endIndex { rows.append(Row(figure: figure, unit: unit, aim: aim)) }
      change(&rows[at])
    }
  }

  var isEmpty: Bool { rows.withLock { $0.isEmpty } }

  var text: String {
    let heads = ["figure", "unit"] + contestants + (contestants.count > 1 ? ["ours / best"] : []) + ["to reach"]
    let lines = [heads] + rows.withLock { $0 }.map(cells)
    let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      let cells = zip(line, widths).enumerated().map { index, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return index < 2 || index == heads.count - 1 ? cell.0 + space : space + cell.0
      }
      var text = cells.joined(separator: "  ")
      while text.last == " " { text.removeLast() }
      return text + "\n"
    }.joined()
  }

  private func cells(_ row: Row) -> [String] {
    let values = contestants.map { row.words[$0] ?? row.values[$0].map(Self.short) ?? "–" }
    guard contestants.count > 1 else { return [row.figure, row.unit] + values + [row.aim] }
    let ours = contestants.first.flatMap { row.values[$0] }
    let best = contestants.dropFirst().compactMap { row.values[$0] }.min()
    var ratio = "–"
    if let ours, let best, best > 0 { ratio = Self.short(ours / best) }
    return [row.figure, row.unit] + values + [ratio, row.aim]
  }

  static func short(_ value: Double) -> String {
    if abs(value) >= 100 || value == value.rounded() { return String(Int(value.rounded())) }
    let digits: Double = abs(value) >= 10 ? 10 : abs(value) >= 1 ? 100 : 1000
    return String((value * digits).rounded() / digits)
  }
}

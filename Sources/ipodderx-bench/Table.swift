/// Figures by contestant, printed as one table: ours first, then each peer and the ratio of ours to the best of them.
struct Table {
  struct Row {
    var figure: String
    var unit: String
    /// What issue 1 asks for, in words.
    var aim: String
    var values: [String: Double] = [:]
    var smallerIsBetter = true
  }

  private(set) var rows: [Row] = []
  let contestants: [String]

  init(contestants: [String]) {
    self.contestants = contestants
  }

  mutating func set(_ figure: String, _ unit: String, aim: String, _ contestant: String, _ value: Double?) {
    guard let value else { return }
    if let at = rows.firstIndex(where: { $0.figure == figure }) {
      rows[at].values[contestant] = value
    } else {
      rows.append(Row(figure: figure, unit: unit, aim: aim, values: [contestant: value]))
    }
  }

  var text: String {
    let heads = ["figure", "unit"] + contestants + ["ours / best", "to reach"]
    let lines = [heads] + rows.map(cells)
    let widths = heads.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    return lines.map { line in
      zip(line, widths).enumerated().map { index, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return index < 2 || index == heads.count - 1 ? cell.0 + space : space + cell.0
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  private func cells(_ row: Row) -> [String] {
    let ours = contestants.first.flatMap { row.values[$0] }
    let best = contestants.dropFirst().compactMap { row.values[$0] }.min()
    var ratio = "–"
    if let ours, let best, best > 0 { ratio = Self.short(ours / best) }
    return [row.figure, row.unit] + contestants.map { row.values[$0].map(Self.short) ?? "–" } + [ratio, row.aim]
  }

  static func short(_ value: Double) -> String {
    if value >= 100 || value == value.rounded() { return String(Int(value.rounded())) }
    let digits: Double = value >= 10 ? 10 : value >= 1 ? 100 : 1000
    return String((value * digits).rounded() / digits)
  }
}

/// Numbers for nodes of the tree, one space for all kinds: the row, and the kind in the two lowest bits. Never 0, never used twice.
public enum NodeNumber: Sendable, Equatable {
  case episode(Int64)
  case feed(Int64)
  case folder(Int64)

  public var number: UInt64 {
    switch self {
    case .folder(let row): UInt64(bitPattern: row << 2 | 1)
    case .feed(let row): UInt64(bitPattern: row << 2 | 2)
    case .episode(let row): UInt64(bitPattern: row << 2 | 3)
    }
  }

  public init?(_ number: UInt64) {
    guard number >> 2 > 0, let row = Int64(exactly: number >> 2) else { return nil }
    switch number & 3 {
    case 1: self = .folder(row)
    case 2: self = .feed(row)
    case 3: self = .episode(row)
    default: return nil
    }
  }
}

extension Store {
  /// The row of a folder of the tree, given out the first time it is asked for.
  public func folderRow(_ id: String) throws(StoreError) -> Int64 {
    if let row = try database.int("SELECT row FROM folder WHERE id = ?", id) { return row }
    try database.run("INSERT INTO folder (id) VALUES (?)", id)
    return database.lastRow
  }

  public func folderID(row: Int64) throws(StoreError) -> String? {
    try database.first("SELECT id FROM folder WHERE row = ?", row) { $0.text(0) }
  }
}

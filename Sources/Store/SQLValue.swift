import CSQLite

/// What can stand for a `?` in a statement.
protocol SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32
}

/// SQLite copies the bytes: `SQLITE_TRANSIENT`, which is a macro and not imported.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension Int64: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}

extension Int: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, Int64(self)) }
}

extension Bool: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_int(statement, index, self ? 1 : 0) }
}

extension Double: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_double(statement, index, self) }
}

extension String: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    var copy = self
    return copy.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { chars in
        guard let start = chars.baseAddress, let count = Int32(exactly: chars.count) else {
          return sqlite3_bind_text(statement, index, "", 0, transient)
        }
        return sqlite3_bind_text(statement, index, start, count, transient)
      }
    }
  }
}

extension Optional: SQLBindable where Wrapped: SQLBindable {
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    switch self {
    case .none: sqlite3_bind_null(statement, index)
    case .some(let value): value.bind(statement, index)
    }
  }
}

/// The row a statement stands on. Columns count from 0; a column of another type gives what SQLite makes of it.
struct SQLRow {
  let statement: OpaquePointer

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func count(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }
  func bool(_ column: Int32) -> Bool { sqlite3_column_int64(statement, column) != 0 }
  func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// All of its columns, as they are, for as long as the statement stands on it.
  var columns: [any SQLBindable] { (0..<sqlite3_column_count(statement)).map { SQLColumn(statement: statement, column: $0) } }

  func intOrNil(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }
  func textOrNil(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  func doubleOrNil(_ column: Int32) -> Double? { isNull(column) ? nil : double(column) }
}

private struct SQLColumn: SQLBindable {
  let statement: OpaquePointer
  let column: Int32

  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    sqlite3_bind_value(statement, index, sqlite3_column_value(self.statement, column))
  }
}

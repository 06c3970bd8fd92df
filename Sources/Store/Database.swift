import CSQLite
import Reactor

/// One SQLite connection: statements prepared once, errors typed. Confined to whoever owns it (no mutex inside).
final class Database {
  /// Read-only: a write throws `.readOnly`.
  let isWritable: Bool
  let path: String
  private let handle: OpaquePointer
  var rawHandle: OpaquePointer { handle }
  private var prepared: [String: OpaquePointer] = [:]
  private var depth = 0
  /// Called at each statement that meets damage in the file, reading or writing; the statement throws all the same.
  var whenDamaged: (() -> Void)?

  /// - Parameters:
  ///   - path: empty: a private temporary file that goes when the connection does.
  ///   - options: of a `file:` URI (`mode=ro`), where SQLite needs to be told more; errors name the path alone.
  init(path: String, writable: Bool, options: String = "") throws(StoreError) {
    var handle: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
    if writable { flags |= SQLITE_OPEN_CREATE }
    let code = sqlite3_open_v2(
      options.isEmpty ? path : "file:\(path.percentEncodedPath)?\(options)", &handle, flags, nil)
    guard let handle, code == SQLITE_OK else {
      let error = Self.error(code, handle, path)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    isWritable = writable
    sqlite3_extended_result_codes(handle, 1)
    // Another process (a second instance) writes for milliseconds; more means something hangs.
    sqlite3_busy_timeout(handle, 2000)
  }

  deinit {
    for statement in prepared.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  // MARK: Statements

  func run(_ sql: String, _ values: any SQLBindable...) throws(StoreError) {
    try each(sql, values) { (_) throws(StoreError) in }
  }

  func rows<T>(_ sql: String, _ values: any SQLBindable..., map: (SQLRow) -> T) throws(StoreError) -> [T] {
    try rows(sql, values: values, map: map)
  }

  func rows<T>(_ sql: String, values: [any SQLBindable], map: (SQLRow) -> T) throws(StoreError) -> [T] {
    var result: [T] = []
    try each(sql, values) { (row) throws(StoreError) in result.append(map(row)) }
    return result
  }

  func first<T>(_ sql: String, _ values: any SQLBindable..., map: (SQLRow) -> T) throws(StoreError) -> T? {
    var result: T?
    try each(sql, values) { (row) throws(StoreError) in if result == nil { result = map(row) } }
    return result
  }

  func int(_ sql: String, _ values: any SQLBindable...) throws(StoreError) -> Int64? {
    var result: Int64?
    try each(sql, values) { (row) throws(StoreError) in if result == nil { result = row.intOrNil(0) } }
    return result
  }

  var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }
  /// Rows changed by the last statement.
  var changed: Int { Int(sqlite3_changes(handle)) }

  /// Equal for as long as neither we nor another process wrote anything.
  struct Stamp: Equatable {
    var ours: Int32
    var others: Int64
  }

  /// Nil while a transaction is under way: it may be taken back, and this would not tell.
  var stamp: Stamp? {
    guard depth == 0, let others = try? int("PRAGMA data_version") else { return nil }
    return Stamp(ours: sqlite3_total_changes(handle), others: others)
  }

  func each(_ sql: String, _ values: [any SQLBindable], _ body: (SQLRow) throws(StoreError) -> Void) throws(StoreError) {
    // Taken out while it runs, so that the same text may run inside its own loop.
    let held = prepared.removeValue(forKey: sql)
    let statement = if let held { held } else { try prepare(sql) }
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      if let other = prepared.updateValue(statement, forKey: sql) { sqlite3_finalize(other) }
    }
    var index: Int32 = 1
    for value in values {
      let code = value.bind(statement, index)
      guard code == SQLITE_OK else { throw error(code) }
      index += 1
    }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(SQLRow(statement: statement))
      case SQLITE_DONE: return
      case let code: throw error(code)
      }
    }
  }

  /// Several statements at once, unprepared: for the schema.
  func script(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// All of `body` or nothing. May be nested: the outermost one commits.
  func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
    if depth > 0 { return try body() }
    // Immediate: a second instance makes us wait here, not fail half-way.
    try run("BEGIN IMMEDIATE")
    depth += 1
    defer { depth -= 1 }
    do {
      let result = try body()
      try run("COMMIT")
      return result
    } catch {
      // Some errors (a full disk) have rolled back already; the second time is refused and does no harm.
      sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
      throw error
    }
  }

  /// Gives back what the page cache holds above its need.
  func releaseMemory() {
    sqlite3_db_release_memory(handle)
  }

  private func prepare(_ sql: String) throws(StoreError) -> OpaquePointer {
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard code == SQLITE_OK, let statement else { throw error(code) }
    return statement
  }

  // MARK: Errors

  /// SQLITE_IOERR_WRITE and SQLITE_IOERR_FSYNC: macros with a shift, which are not imported.
  private static let writeFailed = SQLITE_IOERR | 3 << 8
  private static let syncFailed = SQLITE_IOERR | 4 << 8
  /// The file is shorter than it says: SQLITE_IOERR_SHORT_READ.
  private static let cutOff = SQLITE_IOERR | 2 << 8

  private func error(_ code: Int32) -> StoreError {
    let error = Self.error(code, handle, path)
    if error.code == .corrupt { whenDamaged?() }
    return error
  }

  private static func error(_ code: Int32, _ handle: OpaquePointer?, _ path: String) -> StoreError {
    let said = handle.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xff {
    case SQLITE_CORRUPT, SQLITE_NOTADB,
      SQLITE_IOERR where code == cutOff:
      return StoreError(.corrupt, "The store \(path) is damaged (\(said)).")
    case SQLITE_FULL:
      return StoreError(.full, "The disk is full: the store \(path) cannot be written.")
    case SQLITE_READONLY, SQLITE_PERM:
      return StoreError(.readOnly, "The store \(path) cannot be written (\(said)).")
    case SQLITE_CANTOPEN:
      return StoreError(.cannotOpen, "The store \(path) cannot be opened (\(said)).")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StoreError(.busy, "Another program holds the store \(path).")
    case SQLITE_IOERR where code == writeFailed || code == syncFailed:
      return StoreError(.full, "The store \(path) cannot be written (\(said)).")
    default:
      return StoreError(.failed, "The store \(path) failed: \(said) (\(code)).")
    }
  }
}

extension String {
  /// For a `file:` URI.
  var percentEncodedPath: String {
    var result = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"), 0x80...:
        let hex = String(byte, radix: 16, uppercase: true)
        result += "%" + (hex.utf8.count == 1 ? "0" : "") + hex
      default: result.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return result
  }
}

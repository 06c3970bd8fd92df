import CSQLite
import Glibc
import Reactor

/// What is known of one server: its feeds and entries, places, what waits to be sent, what is kept. One SQLite file.
///
/// Confined to whoever made it (the actor `Library`): not thread-safe. Every method is one transaction; what it wrote survives a
/// `kill -9` once it returned. Against power loss see `flush`.
public final class Store {
  /// Why nothing will be kept, as a sentence; empty when all is well.
  public private(set) var problem = ""
  public var isWritable: Bool { database.isWritable && problem.isEmpty }
  /// What is written is there for this run at least.
  public var holdsForNow: Bool { database.isWritable }
  /// Called whenever the file turns out to be damaged: what is asked then throws, here and from then on.
  public var whenDamaged: (() -> Void)? {
    get { database.whenDamaged }
    set { database.whenDamaged = newValue }
  }
  /// Where a damaged store was moved to.
  public private(set) var setAside: String?
  let database: Database
  private var metaCache: [String: String] = [:]
  var sums = TallySums()
  /// Rows of entries that were taken over and are not in the search index yet (`Store+Recovery`).
  var unindexed: ClosedRange<Int64>?
  private static let flushing = DiskFlusher()

  init(_ database: Database) {
    self.database = database
  }

  // MARK: Opening

  /// Opens or makes `folder`/library.db. Never fails: a damaged file is set aside (renamed) and a new one begun; where nothing can
  /// be written what is there is read, and else a store is kept in a temporary file; `problem` says so.
  public static func open(folder: String, stamp: WallTime) -> Store {
    makeFolders(folder)
    let path = folder + "/library.db"
    do {
      return try openWritable(path)
    } catch  where error.code == .corrupt {
      return beginAnew(path, stamp, because: error)
    } catch  where error.code == .newer {
      return temporary(error)
    } catch {
      return (try? openReadOnly(path, error)) ?? temporary(error)
    }
  }

  /// For a store that turned out damaged while in use: it is set aside, and a new one begun in its place.
  public static func reopenAnew(folder: String, stamp: WallTime) -> Store {
    let path = folder + "/library.db"
    return beginAnew(path, stamp, because: StoreError(.corrupt, "The store \(path) is damaged."))
  }

  private static func beginAnew(_ path: String, _ stamp: WallTime, because error: StoreError) -> Store {
    guard let aside = setAside(path, stamp) else { return temporary(error) }
    Log.error("\(error.description) It was set aside as \(aside), and a new one begun.")
    guard let store = try? openWritable(path) else { return temporary(error) }
    store.setAside = aside
    store.recover(from: aside)
    return store
  }

  /// Moves the file, with what belongs to it; none that was set aside before is written over.
  /// - Returns: where to; nil where that cannot be done.
  private static func setAside(_ path: String, _ stamp: WallTime) -> String? {
    let first = "\(path).damaged-\(stamp.microseconds / 1_000_000)"
    let names = [first] + (2...99).map { "\(first)-\($0)" }
    guard let aside = names.first(where: { fileSize($0) == nil }), rename(path, aside) == 0 else { return nil }
    for suffix in ["-wal", "-shm"] { rename(path + suffix, aside + suffix) }
    return aside
  }

  private static func openWritable(_ path: String) throws(StoreError) -> Store {
    let database = try Database(path: path, writable: true)
    let store = Store(database)
    // 2 MB of pages at most; a place saved is in the log file at once, synced when the log is folded in (and by `flush`).
    try store.configure("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 1000;")
    try Schema.migrate(database)
    // SQLite opens a file read-only without a word where it may not write: find out now.
    if sqlite3_db_readonly(database.rawHandle, "main") != 0 {
      throw StoreError(.readOnly, "The store \(path) cannot be written.")
    }
    store.unindexed = store.storedUnindexed
    return store
  }

  private static func openReadOnly(_ path: String, _ cause: StoreError) throws(StoreError) -> Store {
    let log = fileSize(path + "-wal")
    // A read-only folder without a log cannot have its lock file made: then the file is taken as it stands.
    let options = log == nil || log == 0 ? "immutable=1" : ""
    let store = Store(try Database(path: path, writable: false, options: options))
    try store.configure("")
    guard let found = try store.database.int("PRAGMA user_version"), Schema.readable.contains(found) else {
      throw StoreError(.readOnly, cause.description)
    }
    store.problem = cause.description + " Lists are shown as they were; what you hear now is not remembered here."
    Log.error(store.problem)
    return store
  }

  private static func temporary(_ cause: StoreError) -> Store {
    for path in ["", ":memory:"] {
      guard let database = try? Database(path: path, writable: true) else { continue }
      let store = Store(database)
      guard (try? store.configure("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")) != nil,
        (try? Schema.migrate(database)) != nil
      else { continue }
      store.problem = cause.description + " Lists are fetched anew and forgotten at the end."
      Log.error(store.problem)
      return store
    }
    // An in-memory database that cannot be made means there is no memory at all.
    fatalError("SQLite cannot open a database in memory")
  }

  private func configure(_ more: String) throws(StoreError) {
    try database.script("PRAGMA cache_size = -2000; PRAGMA temp_store = FILE; PRAGMA foreign_keys = OFF; " + more)
  }

  private static func fileSize(_ path: String) -> Int64? {
    var info = stat()
    return stat(path, &info) == 0 ? Int64(info.st_size) : nil
  }

  // MARK: The whole

  /// Asks the disk, without waiting for it, to hold what was written so far even through a power cut.
  public func flush() {
    guard database.isWritable, !database.path.isEmpty, database.path != ":memory:" else { return }
    Self.flushing.sync(file: database.path + "-wal")
  }

  /// Memory used for the moment's work is given back.
  public func releaseMemory() {
    database.releaseMemory()
  }

  public func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
    do {
      return try database.transaction(body)
    } catch {
      metaCache = [:]
      throw error
    }
  }

  /// Others wrote past us.
  func forgetValues() { (metaCache, sums) = ([:], TallySums()) }

  // MARK: Small values by key

  public func value(_ key: String) -> String? {
    if let held = metaCache[key] { return held }
    let found = try? database.first("SELECT value FROM meta WHERE key = ?", key) { $0.text(0) }
    if let found, found.utf8.count < 256 { metaCache[key] = found }
    return found
  }

  public func number(_ key: String) -> Int64? { value(key).flatMap { Int64($0) } }

  public func set(_ key: String, _ value: String?) throws(StoreError) {
    metaCache[key] = nil
    if let value {
      try database.run("INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value", key, value)
    } else {
      try database.run("DELETE FROM meta WHERE key = ?", key)
    }
  }

  public func set(_ key: String, _ number: Int64) throws(StoreError) {
    try set(key, String(number))
  }
}

/// What is known of a picture of the server.
public struct ArtRow: Sendable, Equatable {
  /// Its name in the art folder; nil where there is none (a refusal is remembered too).
  public var file: String?
  public var etag: String?
  /// When the server was last asked, µs.
  public var checked: Int64

  public init(file: String?, etag: String?, checked: Int64) {
    self.file = file
    self.etag = etag
    self.checked = checked
  }
}

extension Store {
  public func art(_ path: String) throws(StoreError) -> ArtRow? {
    try database.first("SELECT file, etag, checked FROM art WHERE path = ?", path) { row in
      ArtRow(file: row.textOrNil(0), etag: row.textOrNil(1), checked: row.int(2))
    }
  }

  public func setArt(_ path: String, _ art: ArtRow) throws(StoreError) {
    try database.run("INSERT OR REPLACE INTO art VALUES (?, ?, ?, ?)", path, art.file, art.etag, art.checked)
  }

  /// Art of feeds that was never fetched, or not asked for since.
  public func feedArt(uncheckedSince: Int64, limit: Int) throws(StoreError) -> [String] {
    try database.rows(
      """
      SELECT DISTINCT f.artwork FROM feed f LEFT JOIN art a ON a.path = f.artwork
      WHERE f.artwork IS NOT NULL AND f.gone = 0 AND coalesce(a.checked, 0) < ? LIMIT ?
      """, uncheckedSince, limit
    ) { $0.text(0) }
  }

  /// All files that some picture stands in.
  public func artFiles() throws(StoreError) -> Set<String> {
    Set(try database.rows("SELECT file FROM art WHERE file IS NOT NULL") { $0.text(0) })
  }
}

extension Store {
  /// Rows of entries that have this picture as their own.
  public func episodes(artwork: String, limit: Int) throws(StoreError) -> [Int64] {
    try database.rows("SELECT row FROM entry WHERE artwork = ? AND listed = 1 LIMIT ?", artwork, limit) { $0.int(0) }
  }
}

/// How far the catalogue's changes were seen: the run of the server that counted them, and the count.
struct SyncMark: Equatable {
  var run: String
  var count: Int64

  init(run: String, count: Int64) {
    (self.run, self.count) = (run, count)
  }

  init?(_ text: some StringProtocol) {
    guard let dash = text.lastIndex(of: "-"), let count = Int64(text[text.index(after: dash)...]), count >= 0,
      dash > text.startIndex
    else { return nil }
    self.init(run: String(text[..<dash]), count: count)
  }

  var text: String { "\(run)-\(count)" }
}

/// Where the next page goes on: behind the entry with this key. It names no row number, so that what comes and goes
/// between two pages neither repeats an entry nor hides one. It carries the first page's sync mark along: whatever
/// changes while the pages are read is told by `changed` afterwards.
struct EntryCursor: Equatable {
  /// The date, or the change stamp where changes are listed.
  var key: Int64
  var id: Int64
  var sync: SyncMark

  init(key: Int64, id: Int64, sync: SyncMark) {
    (self.key, self.id, self.sync) = (key, id, sync)
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let key = Int64(parts[0]), let id = Int64(parts[1]), let sync = SyncMark(parts[2]) else { return nil }
    self.init(key: key, id: id, sync: sync)
  }

  var text: String { "\(key).\(id).\(sync.text)" }
}

import Glibc
import IPX
import Media
import Reactor
import Store

/// Kept files that the store does not know: it was damaged, is a newer version's, or was taken away. Nothing is ever thrown out because it
/// was forgotten.
extension Library {
  /// Files with a note are in the lists at once, server or no server.
  /// - Returns: the rows of their episodes.
  @discardableResult
  static func adopt(_ folder: KeptFolder, into store: Store) -> [Int64] {
    guard store.holdsForNow else { return [] }
    let noted = folder.notedFiles()
    guard !noted.isEmpty, let kept = try? store.keeps(.kept) else { return [] }
    let known = Set(kept.compactMap(\.file))
    var adopted: [Int64] = []
    for name in noted.sorted() where !known.contains(name) {
      guard let size = folder.size(name), let note = folder.note(of: name) else { continue }
      guard size == note.bytes else {
        Log.warning("\(folder.path)/\(name) has \(size) bytes instead of \(note.bytes): it is left alone, and not listed.")
        continue
      }
      do throws(StoreError) {
        let row = try store.adopt(
          note.entry, feed: note.feed, file: name, bytes: note.bytes, deadAir: note.deadAir, byRule: note.byRule,
          ratio: note.ratio, at: note.queued)
        if let row { adopted.append(row) }
      } catch {
        Log.warning("A kept file could not be taken up again. \(error.description)")
        break
      }
    }
    if !adopted.isEmpty { Log.warning("\(adopted.count) kept episodes that the store did not know were found again.") }
    return adopted
  }

  /// Files without a note, once a new store has heard of all episodes: those that have the name and the length of an episode's file.
  func adoptUnnoted(_ client: APIClient) async {
    let noted = Set(kept.notedFiles())
    let known = Set(((try? store.keeps(.queued, .keeping, .kept, .failed)) ?? []).compactMap(\.file))
    let files = Set(kept.wholeFiles()).subtracting(noted).subtracting(known)
    guard store.holdsForNow, !files.isEmpty else { return }
    var owners: [(name: String, row: Int64, file: EnclosureRecord, isCut: Bool)] = []
    try? store.eachPlayable { row, entry, file in
      for isCut in [false, true] {
        let name = KeepRules.fileName(entry, file.id, isCut: isCut, type: file.type, url: file.url)
        if files.contains(name) { owners.append((name, row, file, isCut)) }
      }
    }
    for (name, row, file, isCut) in owners {
      guard let size = kept.size(name), size > 0 else { continue }
      var ratio: Double?
      if isCut {
        guard let cut = file.deadair, (try? await client.length(cut)) ?? nil == size,
          let whole = (try? await client.length(file.url)) ?? file.bytes
        else { continue }
        ratio = KeepRules.ratio(whole: whole, cut: size)
      } else if file.bytes != size {
        guard (try? await client.length(file.url)) ?? nil == size else { continue }
      }
      adopt(name, row, bytes: size, deadAir: isCut, ratio: ratio)
    }
  }

  private func adopt(_ name: String, _ row: Int64, bytes: Int64, deadAir: Bool, ratio: Double?) {
    try? write { () throws(StoreError) in
      var effects = Effects()
      guard let records = try store.records(of: row) else { return effects }
      let adopted = try store.adopt(
        records.entry, feed: records.feed, file: name, bytes: bytes, deadAir: deadAir, byRule: false, ratio: ratio,
        at: timekeeper.wall().microseconds)
      guard let adopted else { return effects }
      Log.warning("A kept episode that the store did not know was found again.")
      effects.episodes = [adopted]
      effects.list(.kept)
      effects.list(.root)
      return effects
    }
    note(row)
  }

  /// Writes down whose a kept file is, where that is not done yet.
  func note(_ row: Int64) {
    guard let keep = try? store.keep(row), keep.state == .kept, let file = keep.file, let bytes = keep.bytes,
      let records = try? store.records(of: row)
    else { return }
    let note = KeptNote(
      feed: records.feed, entry: records.entry, bytes: bytes, deadAir: keep.deadAir, byRule: keep.byRule, ratio: keep.ratio,
      queued: keep.queued)
    if !kept.write(note, of: file) { Log.info("No note could be written beside \(file).") }
  }

  /// Of what was kept before there were notes, or when none could be written.
  func noteAll() {
    guard store.isWritable, let keeps = try? store.keeps(.kept) else { return }
    let noted = Set(kept.notedFiles())
    for keep in keeps where keep.file.map({ !noted.contains($0) }) ?? false { note(keep.entry) }
  }
}

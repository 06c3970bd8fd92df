import Reactor
import Settings

extension Doctor {
  /// Damaged stores that were set aside, this time or before: they stay until somebody throws them away.
  func stores(data: String = Places().data) -> [Finding] {
    folderNames(data + "/servers").sorted().compactMap { server in
      let folder = data + "/servers/" + server
      let aside = folderNames(folder).filter {
        $0.hasPrefix("library.db.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
      }
      guard let last = aside.max() else { return nil }
      return Finding(
        what: "Store", state: .note,
        sentence: "\(aside.count == 1 ? "a damaged one was" : "\(aside.count) damaged ones were") set aside: \(folder)/\(last). "
          + "What could be read of it was taken over; if nothing is missed it may be thrown away.")
    }
  }
}

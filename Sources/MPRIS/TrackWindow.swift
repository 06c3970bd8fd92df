import DBus
import Player

/// The TrackList: the queue's window, twenty either side of what plays. Lists of thousands would choke the widgets.
struct TrackWindow: Equatable {
  static let side = 20

  var entries: [QueueEntry]
  var current: UInt64?

  init(_ snapshot: PlayerSnapshot) {
    current = snapshot.now?.entry.number
    // Of an entry that is in both (it was played, and is again), the queue's place counts.
    let ahead = snapshot.queue.prefix(Self.side + 1)
    let numbers = Set(ahead.map(\.number))
    entries = snapshot.history.suffix(Self.side).filter { !numbers.contains($0.number) } + ahead
  }

  var paths: [ObjectPath] { entries.map { TrackID.path($0.number) } }
  var currentPath: ObjectPath { current.map(TrackID.path) ?? TrackID.none }

  enum Change: Equatable {
    case replaced
    case removed(UInt64)
    /// `after` nil: at the front.
    case added(QueueEntry, after: UInt64?)
  }

  /// What a client has to be told. One coming or going, or the window moving on by one, in their own words; else all anew.
  func changes(from old: TrackWindow) -> [Change] {
    let numbers = entries.map(\.number)
    let difference = numbers.difference(from: old.entries.map(\.number))
    guard !difference.isEmpty else { return [] }
    guard difference.removals.count <= 1, difference.insertions.count <= 1 else { return [.replaced] }
    var changes: [Change] = []
    for case .remove(_, let number, _) in difference.removals { changes.append(.removed(number)) }
    for case .insert(let offset, _, _) in difference.insertions {
      changes.append(.added(entries[offset], after: offset > 0 ? entries[offset - 1].number : nil))
    }
    return changes
  }
}

import DBus
import Library
import Player
import Synchronization

/// `net.sdf1.ipodderx.Library1`: the browse tree, answered from the store.
final class LibraryInterface: DBusInterface {
  static let name = "net.sdf1.ipodderx.Library1"
  static let reads: Set = ["ListChildren", "GetItem", "Search"]
  static let slow: Set = ["Refresh"]
  /// As many folders as the root has at most; a client that wants fewer takes the first.
  static let rootFolders = 4
  /// No answer holds more, whatever was asked: what is left is asked for by offset.
  static let largestPage = 10_000

  private let library: any LibraryService
  private let player: any PlayerService
  private let summary: Mutex<LibrarySummary>
  private let playing: Mutex<ItemID?>
  private let writes: CallLine
  /// Shared with Player1: Enqueue and Skip keep their order too.
  private let commands: CallLine

  init(
    library: any LibraryService, player: any PlayerService, summary: LibrarySummary, playing: ItemID?, commands: CallLine,
    writes: CallLine
  ) {
    self.library = library
    self.player = player
    self.summary = Mutex(summary)
    self.playing = Mutex(playing)
    self.commands = commands
    self.writes = writes
  }

  var playingItem: ItemID? { playing.withLock { $0 } }
  func setPlaying(_ id: ItemID?) { playing.withLock { $0 = id } }

  // MARK: Properties

  func property(_ name: String) -> DBusValue? {
    Self.properties(summary.withLock { $0 }).first { $0.0 == name }?.1
  }

  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) {
    reply.fail(.propertyReadOnly("\(name) can only be read."))
  }

  /// Takes over a new state of the library; returns what of it is to be signalled.
  func take(_ new: LibrarySummary) -> [(String, DBusValue)] {
    let old = summary.withLock { held in
      let old = held
      held = new
      return old
    }
    return zip(Self.properties(new), Self.properties(old)).filter { $0.0.1 != $0.1.1 }.map { $0.0 }
  }

  /// A list changed, and the counter with it.
  func take(counter: UInt32) -> [(String, DBusValue)] {
    var new = summary.withLock { $0 }
    new.counter = max(new.counter, counter)
    return take(new)
  }

  private static func properties(_ summary: LibrarySummary) -> [(String, DBusValue)] {
    [
      ("Counter", .uint32(summary.counter)), ("Unread", .uint32(summary.unread)), ("Server", .string(summary.server)),
      ("State", .string(summary.state.rawValue)), ("Synced", .int64(summary.synced?.wholeSeconds ?? 0)),
    ]
  }

  // MARK: Methods

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    let arguments = Arguments(arguments)
    switch method {
    case "ListChildren", "GetItem", "Search": look(method, arguments, reply)
    case "Play", "Enqueue": command(method, arguments, reply)
    case "Refresh":
      // After what was written before, but what comes after it need not wait for the server.
      writes.sendSlow(reply) { [library] () throws(LibraryError) in
        try await library.refresh()
        return []
      }
    default: write(method, arguments, reply)
    }
  }

  private func look(_ method: String, _ arguments: Arguments, _ reply: DBusReply) {
    Task { [library, playingItem] in
      await reply.answer { () throws(LibraryError) in
        switch method {
        case "ListChildren":
          let page = try await library.children(
            of: ItemID(arguments.text(0)), offset: arguments.count(1), limit: min(arguments.count(2), Self.largestPage),
            maximumRootFolders: Self.rootFolders)
          return [ItemKeys.list(page.items, playing: playingItem), .count(page.total), .uint32(page.counter)]
        case "Search":
          let page = try await library.search(
            arguments.text(0), offset: arguments.count(1), limit: min(arguments.count(2), Self.largestPage))
          return [ItemKeys.list(page.items, playing: playingItem), .count(page.total)]
        default:
          let detail = try await library.detail(ItemID(arguments.text(0)))
          return [ItemKeys.value(detail, isPlaying: detail.item.id == playingItem)]
        }
      }
    }
  }

  private func command(_ method: String, _ arguments: Arguments, _ reply: DBusReply) {
    let id = ItemID(arguments.text(0))
    let word = arguments.text(1)
    commands.send(reply) { [player] () throws(LibraryError) in
      if method == "Play" {
        try await player.play(id, within: word.isEmpty ? nil : ItemID(word))
      } else {
        switch word {
        case "next": try await player.enqueue(id, .next)
        case "last": try await player.enqueue(id, .last)
        default: throw LibraryError(.invalid, "An episode is queued “next” or “last”.")
        }
      }
      return []
    }
  }

  private func write(_ method: String, _ arguments: Arguments, _ reply: DBusReply) {
    writes.send(reply) { [library] () throws(LibraryError) in
      switch method {
      case "SetRead": try await library.setRead(ItemID(arguments.text(0)), arguments.truth(1))
      case "SetStarred": try await library.setStarred(ItemID(arguments.text(0)), arguments.truth(1))
      case "SetView": try await Self.setView(library, arguments)
      case "Keep": try await library.keep(ItemID(arguments.text(0)))
      case "Unkeep": try await library.unkeep(ItemID(arguments.text(0)))
      case "ClearKept": try await library.clearKept()
      default: throw LibraryError(.invalid, "There is no method \(method).")
      }
      return []
    }
  }

  private static func setView(_ library: any LibraryService, _ arguments: Arguments) async throws(LibraryError) {
    let (filter, order) = (arguments.text(1), arguments.text(2))
    guard ["", "all", "unheard", "started", "starred", "kept"].contains(filter) else {
      throw LibraryError(.invalid, "A view shows all, unheard, started, starred or kept.")
    }
    guard ["", "newest", "oldest"].contains(order) else {
      throw LibraryError(.invalid, "A view is ordered newest or oldest first.")
    }
    try await library.setView(ItemID(arguments.text(0)), filter: filter, order: order)
  }
}

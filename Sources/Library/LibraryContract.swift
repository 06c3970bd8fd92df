import Media
import Reactor

/// What the faces and `Player` ask of the library. The one real implementation is the actor `Library`; tests have doubles.
/// Listing answers from the store, never from the network.
public protocol LibraryService: Sendable {
  /// The library as a whole, from memory.
  var summary: LibrarySummary { get async }
  /// Each subscriber's own stream of everything that changed after it subscribed.
  func changes() async -> AsyncStream<LibraryChange>

  /// - Throws: `LibraryError` `.notFound` for an id that names nothing, `.invalid` for one that lists nothing.
  func children(of id: ItemID, offset: Int, limit: Int, maximumRootFolders: Int) async throws(LibraryError) -> Page
  func item(_ id: ItemID) async throws(LibraryError) -> Item
  /// Asks for the item's art if it is missing (in the background).
  func detail(_ id: ItemID) async throws(LibraryError) -> ItemDetail
  func search(_ text: String, offset: Int, limit: Int) async throws(LibraryError) -> Page
  /// By `Item.number`; for AVRCP.
  func item(number: UInt64) async throws(LibraryError) -> Item

  func setRead(_ id: ItemID, _ read: Bool) async throws(LibraryError)
  func setStarred(_ id: ItemID, _ starred: Bool) async throws(LibraryError)
  /// `filter`: `all`, `unheard`, `started`, `starred`, `kept`; `order`: `newest`, `oldest`; empty: as the whole.
  func setView(_ id: ItemID, filter: String, order: String) async throws(LibraryError)
  func keep(_ id: ItemID) async throws(LibraryError)
  func unkeep(_ id: ItemID) async throws(LibraryError)
  func clearKept() async throws(LibraryError)
  /// Asks the server for what is new. Returns when it has answered, or throws what came instead, after 20 s at the latest.
  func refresh() async throws(LibraryError)

  /// Everything `Player` needs to sound an episode: its bytes (kept file or network), its length, its place.
  /// `deadAir` asks for the server's cut where there is one. Asks the server for its newer place first where the rules say
  /// so (`design.md`, Where to start), for at most 2 s.
  func open(_ id: ItemID, deadAir: Bool) async throws(LibraryError) -> PlayableEpisode
  /// The place to go on from after a pause of more than a minute: the newer of the server's and ours, in the original's time. The
  /// server is asked only when its last word is older than a minute, for at most 2 s. Nil: ours stands.
  func newerPlace(of id: ItemID) async -> (place: MediaTime, stamp: WallTime)?
  /// The chapters the server knows of an episode, asked over the network the first time (until then `open` has none). Empty: none.
  func chapters(of id: ItemID) async -> [(start: MediaTime, title: String)]
  /// The bytes of a kept episode; nil where it is not kept (any more).
  func keptFile(of id: ItemID) async -> (any ByteSource)?
  /// The ids that follow `id` in `within` (a folder, feed or search), in its order: what becomes the queue.
  func successors(of id: ItemID, within: ItemID, limit: Int) async throws(LibraryError) -> [ItemID]
  /// Written into the store before this returns, then sent to the server. Never call it for a place that was not played to.
  func savePlace(_ id: ItemID, _ place: MediaTime, length: MediaTime?, at stamp: WallTime) async
  /// At its end: place cleared, read set.
  func finish(_ id: ItemID, at stamp: WallTime) async
  /// The decoded length, once known.
  func learnLength(_ id: ItemID, _ length: MediaTime) async

  /// What `Player` remembers across restarts (queue, rate …): opaque text by key.
  func remembered(_ key: String) async -> String?
  func remember(_ key: String, _ value: String?) async
}

extension LibraryService {
  public func newerPlace(of id: ItemID) async -> (place: MediaTime, stamp: WallTime)? { nil }
  public func chapters(of id: ItemID) async -> [(start: MediaTime, title: String)] { [] }
  public func keptFile(of id: ItemID) async -> (any ByteSource)? { nil }
}

public struct LibrarySummary: Sendable, Equatable {
  public enum State: String, Sendable {
    case online
    case offline
    case signedOut = "signed-out"
    case noServer = "no-server"
  }

  public var counter: UInt32
  public var unread: UInt32
  /// The page's address, without credentials.
  public var server: String
  public var state: State
  /// Why not online, and what is wrong with the store, a sentence each; empty when all is well.
  public var reason: String
  /// End of the last complete sync.
  public var synced: WallTime?

  public init(
    counter: UInt32 = 0, unread: UInt32 = 0, server: String = "", state: State = .noServer, reason: String = "",
    synced: WallTime? = nil
  ) {
    self.counter = counter
    self.unread = unread
    self.server = server
    self.state = state
    self.reason = reason
    self.synced = synced
  }
}

public enum LibraryChange: Sendable {
  case summary(LibrarySummary)
  /// The list under `id` is another one now; `root` when several are.
  case children(ItemID, counter: UInt32)
  case item(Item)
  /// Another player moved the place of this episode, and its stamp is newer than ours.
  case place(ItemID, MediaTime, at: WallTime)
}

public struct PlayableEpisode: Sendable {
  public var item: Item
  public var notes: String?
  public var link: String?
  public var source: any ByteSource
  public var typeHint: String?
  /// Of the whole file that `source` is, as the server tells; nil where it does not.
  public var bytes: Int64?
  /// Where to start, in the time of the file that `source` is.
  public var place: MediaTime
  public var placeStamp: WallTime?
  /// Length of the original divided by length of the cut, 1 when `source` is the original: places are kept in the original's time.
  public var deadAirRatio: Double
  /// The server has a cut without the silences, whether it is played or not.
  public var offersCut: Bool
  public var chapters: [(start: MediaTime, title: String)]

  public init(
    item: Item, notes: String? = nil, link: String? = nil, source: any ByteSource, typeHint: String? = nil, bytes: Int64? = nil,
    place: MediaTime, placeStamp: WallTime? = nil, deadAirRatio: Double = 1, offersCut: Bool = false,
    chapters: [(start: MediaTime, title: String)] = []
  ) {
    self.item = item
    self.notes = notes
    self.link = link
    self.source = source
    self.typeHint = typeHint
    self.bytes = bytes
    self.place = place
    self.placeStamp = placeStamp
    self.deadAirRatio = deadAirRatio
    self.offersCut = offersCut
    self.chapters = chapters
  }
}

/// The errors of the library, by the names they have on the bus (`net.sdf1.ipodderx.Error.…`).
public struct LibraryError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case notFound = "NotFound"
    case offline = "Offline"
    case signedOut = "SignedOut"
    case notPlayable = "NotPlayable"
    case invalid = "Invalid"
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

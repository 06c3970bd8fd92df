import AVRCP
import Reactor
import Synchronization
import TestKit

/// A player with a small, fixed library, another one without, and a log of what was asked of them.
///
///     root ─┬─ 0x101 "Episode 7" (plays)
///           ├─ 0x201 Continue ── 0x102
///           ├─ 0x202 Podcasts ─┬─ 0x301 "Long" ── 0x10000 … 1,000 episodes
///           │                  └─ 0x302 "Short" ── 0x20000 "Alpha", 0x20001 "Beta"
///           └─ 0x203 Empty
final class StageModel: TargetModel {
  enum Call: Sendable, Equatable {
    case perform(TargetAction, UInt16)
    case play(UInt64, TargetContext, UInt16)
    case add(UInt64, Scope, UInt16)
    case address(UInt16)
    case set([PlayerSettingPair], UInt16)
    case volume(UInt8)
  }

  let calls = Inbox<Call>()
  private let updateStream = Broadcast<TargetUpdate>()
  private let current: Mutex<TargetState>
  private let folders: Mutex<[UInt64: [TargetItem]]>
  private let queue: Mutex<[TargetItem]>
  /// A list takes as long as nothing is put in here; `isAsked` has one for each that waits.
  let gate = Mutex<Inbox<Void>?>(nil)
  let isAsked = Inbox<Void>()

  static let features: PlayerFeatures = [
    .play, .stop, .pause, .rewind, .fastForward, .forward, .backward, .basicGroupNavigation, .advancedControlPlayer, .browsing,
    .searching, .addToNowPlaying, .uidsUniqueInPlayerBrowseTree, .nowPlaying, .uidPersistency, .numberOfItems,
  ]
  static let long = MediaTime.seconds(3600)

  static func element(_ uid: UInt64, _ title: String) -> TargetItem {
    TargetItem(
      uid: uid, name: title, kind: .media, isPlayable: true,
      attributes: .init(title: title, artist: "Show", album: "Show", genre: "Podcast", length: long))
  }

  static func folder(_ uid: UInt64, _ name: String) -> TargetItem {
    TargetItem(uid: uid, name: name, kind: .folder(.mixed), isPlayable: false)
  }

  static func ours(at moment: Duration = .seconds(1000)) -> TargetPlayer {
    TargetPlayer(
      id: 1, name: "ipodderx", subtype: .podcast, features: features, status: .paused,
      track: TargetTrack(uid: 0x0A0B, attributes: element(0x0A0B, "Episode 7").attributes),
      position: .init(place: .seconds(60), moment: moment, rate: 0),
      settings: [
        .init(id: 2, name: "Repeat", values: [.init(1, "Off"), .init(2, "One"), .init(3, "All")], current: 1),
        .init(id: 3, name: "Shuffle", values: [.init(1, "Off"), .init(2, "All")], current: 1),
      ], nowPlayingRevision: 1, uidCounter: 7)
  }

  static let other = TargetPlayer(
    id: 2, name: "mpv", features: [.play, .stop, .pause, .forward, .backward, .advancedControlPlayer], status: .stopped)

  init(_ state: TargetState? = nil) {
    current = Mutex(state ?? TargetState(players: [Self.ours(), Self.other], addressed: 1, battery: .normal))
    folders = Mutex([
      0: [
        Self.element(0x101, "Episode 7"), Self.folder(0x201, "Continue"), Self.folder(0x202, "Podcasts"),
        Self.folder(0x203, "Empty"),
      ],
      0x201: [Self.element(0x102, "Episode 6")],
      0x202: [Self.folder(0x301, "Long"), Self.folder(0x302, "Short")],
      0x203: [],
      0x301: (0..<1000).map { Self.element(0x10000 + $0, "Episode \($0)") },
      0x302: [Self.element(0x20000, "Alpha"), Self.element(0x20001, "Beta")],
    ])
    queue = Mutex([Self.element(0x0A0B, "Episode 7"), Self.element(0x0A0C, "Episode 8")])
  }

  func change(_ edit: (inout TargetState) -> Void) {
    let state = current.withLock { state in
      edit(&state)
      return state
    }
    updateStream.send(.state(state))
  }

  func send(_ update: TargetUpdate) { updateStream.send(update) }
  func setFolder(_ uid: UInt64, _ items: [TargetItem]) { folders.withLock { $0[uid] = items } }
  func setQueue(_ items: [TargetItem]) { queue.withLock { $0 = items } }

  // MARK: TargetModel

  func updates() async -> AsyncStream<TargetUpdate> {
    let stream = updateStream.subscribe()
    updateStream.send(.state(current.withLock { $0 }))
    return stream
  }

  func children(of folder: UInt64, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    if let gate = gate.withLock({ $0 }) {
      isAsked.put(())
      await gate.next()
    }
    guard player == 1, let items = folders.withLock({ $0[folder] }) else { throw .doesNotExist }
    return slice(items, range)
  }

  func item(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode) -> TargetItem {
    let items = scope == .nowPlaying ? queue.withLock { $0 } : folders.withLock { $0.values.flatMap { $0 } }
    guard player == 1, let item = items.first(where: { $0.uid == uid }) else { throw .doesNotExist }
    return item
  }

  func search(_ text: String, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    let all = folders.withLock { folders in folders.keys.sorted().flatMap { folders[$0] ?? [] } }
    return slice(all.filter { $0.kind == .media && $0.name.contains(text) }, range)
  }

  func nowPlaying(player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage {
    slice(player == 1 ? queue.withLock { $0 } : [], range)
  }

  func play(_ uid: UInt64, context: TargetContext, player: UInt16) async throws(StatusCode) {
    try await playable(uid, context == .nowPlaying ? .nowPlaying : .virtualFilesystem, player)
    calls.put(.play(uid, context, player))
  }

  func addToNowPlaying(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode) {
    try await playable(uid, scope, player)
    calls.put(.add(uid, scope, player))
  }

  func perform(_ action: TargetAction, player: UInt16) async { calls.put(.perform(action, player)) }
  func address(_ player: UInt16) async throws(StatusCode) { calls.put(.address(player)) }
  func set(_ settings: [PlayerSettingPair], player: UInt16) async throws(StatusCode) { calls.put(.set(settings, player)) }
  func carVolume(_ volume: UInt8) async { calls.put(.volume(volume)) }

  private func playable(_ uid: UInt64, _ scope: Scope, _ player: UInt16) async throws(StatusCode) {
    guard try await item(uid, scope: scope, player: player).isPlayable else { throw .notPlayable }
  }

  private func slice(_ items: [TargetItem], _ range: Range<Int>) -> TargetPage {
    TargetPage(items: Array(items[range.clamped(to: 0..<items.count)]), total: items.count)
  }
}

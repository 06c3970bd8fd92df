/// What a target shows and does, in values. Implemented over `Player` and `Library` by the car face, and by a double in tests.
/// State comes by `updates` and is kept by the target, which answers most questions from it without asking again;
/// only lists and commands are asked for. A `StatusCode` that is thrown becomes the answer's status.
public protocol TargetModel: AnyObject, Sendable {
  /// The present state at once, then every change.
  func updates() async -> AsyncStream<TargetUpdate>

  /// A slice of a folder's children (0 is the root). Rows before or behind the list are just absent; `total` is always the whole.
  /// - Throws: `.doesNotExist`, `.notADirectory`.
  func children(of folder: UInt64, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage
  /// What a UID names in a scope (virtual filesystem, search or now playing).
  /// - Throws: `.doesNotExist`.
  func item(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode) -> TargetItem
  /// A slice of what a search finds; only things that play.
  func search(_ text: String, player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage
  /// A slice of the now playing list.
  func nowPlaying(player: UInt16, range: Range<Int>) async throws(StatusCode) -> TargetPage

  /// - Parameter context: the list it was picked from; what follows it there plays next.
  /// - Throws: `.doesNotExist`, `.notPlayable`.
  func play(_ uid: UInt64, context: TargetContext, player: UInt16) async throws(StatusCode)
  /// - Throws: `.doesNotExist`, `.notPlayable`, `.nowPlayingListFull`.
  func addToNowPlaying(_ uid: UInt64, scope: Scope, player: UInt16) async throws(StatusCode)
  /// A key. Answered already; it is done in order.
  func perform(_ action: TargetAction, player: UInt16) async
  /// The car wants this player shown and driven. Asked before it takes effect.
  func address(_ player: UInt16) async throws(StatusCode)
  /// Values that the player's `settings` list.
  func set(_ settings: [PlayerSettingPair], player: UInt16) async throws(StatusCode)
  /// The car's own volume, 0 ... 127, when absolute volume is in use. Said on every change there, and once at the start.
  func carVolume(_ volume: UInt8) async
}

/// What a key does. Press, hold and release are worked out before.
public enum TargetAction: Sendable, Hashable {
  case play, pause, stop, next, previous
  /// A short press of fast-forward or rewind.
  case skipForward, skipBack
  /// A held one: starts and always ends, by itself at the latest 2 s after the last sign of the key.
  case scrubForward, scrubBack, scrubEnd
  case nextGroup, previousGroup
  case volumeUp, volumeDown, mute
}

/// Where an item was picked.
public enum TargetContext: Sendable, Hashable {
  /// 0 is the root.
  case folder(UInt64)
  case search(String)
  case nowPlaying
}

public enum TargetUpdate: Sendable {
  case state(TargetState)
  /// The element of this player played to its end, or was taken back to its start.
  case reachedEnd(player: UInt16)
  case reachedStart(player: UInt16)
}

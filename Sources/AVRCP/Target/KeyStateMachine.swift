import Reactor

/// AVRCP 1.6.2, 4.4.1 and AV/C Panel 1.1, 9.4.1: presses, holds and releases become what the listener meant.
/// A key without a repeated press or a release for 2 s counts as released. Keys act on the press, except fast-forward and
/// rewind: a short press skips, a held one scrubs.
struct KeyStateMachine {
  /// AV/C Panel 1.1, 9.4.1: after this the key counts as released.
  static let releaseTimeout = Duration.seconds(2)

  enum Input: Equatable {
    case press(PassThroughKey)
    case release(PassThroughKey)
    /// The time told in `deadline` has come.
    case alarm
  }

  private enum Held: Equatable {
    case plain(PassThroughKey)
    /// Fast-forward or rewind, not long enough yet to scrub.
    case undecided(PassThroughKey)
    case scrubbing(PassThroughKey)

    var key: PassThroughKey {
      switch self {
      case .plain(let key), .undecided(let key), .scrubbing(let key): key
      }
    }
  }

  private let holdThreshold: Duration
  private let hasNoRelease: Bool
  private var held: Held?
  private var releaseAt: Duration?
  private var scrubAt: Duration?

  init(holdThreshold: Duration, hasNoRelease: Bool = false) {
    self.holdThreshold = holdThreshold
    self.hasNoRelease = hasNoRelease
  }

  /// When `.alarm` is wanted next, or nil.
  var deadline: Duration? {
    guard let releaseAt else { return nil }
    return scrubAt.map { min($0, releaseAt) } ?? releaseAt
  }

  mutating func take(_ input: Input, at now: Duration) -> [TargetAction] {
    switch input {
    case .press(let key): press(key, now)
    case .release(let key): release(key)
    case .alarm: elapse(now)
    }
  }

  /// The link or the player is gone: a scrub ends, an undecided press does nothing.
  mutating func end() -> [TargetAction] {
    defer {
      held = nil
      releaseAt = nil
      scrubAt = nil
    }
    if case .scrubbing = held { return [.scrubEnd] }
    return []
  }

  private mutating func press(_ key: PassThroughKey, _ now: Duration) -> [TargetAction] {
    // What ran out while the alarm was still on its way.
    var actions = elapse(now)
    if hasNoRelease { return actions + Self.tap(key) }
    if let held, held.key == key {
      releaseAt = now + Self.releaseTimeout
      // A repeated press is the sign of a held key.
      if case .undecided = held { return actions + startScrub(key) }
      return actions + (Self.repeats(key) ? Self.tap(key) : [])
    }
    if let held { actions += release(held.key) }
    releaseAt = now + Self.releaseTimeout
    if Self.scrub(key) != nil {
      held = .undecided(key)
      scrubAt = now + holdThreshold
      return actions
    }
    held = .plain(key)
    return actions + Self.tap(key)
  }

  private mutating func release(_ key: PassThroughKey) -> [TargetAction] {
    guard let held, held.key == key else { return [] }
    self.held = nil
    releaseAt = nil
    scrubAt = nil
    switch held {
    case .plain: return []
    case .undecided: return Self.tap(key)
    case .scrubbing: return [.scrubEnd]
    }
  }

  private mutating func elapse(_ now: Duration) -> [TargetAction] {
    guard let held else { return [] }
    var actions: [TargetAction] = []
    if let scrubAt, scrubAt <= now, case .undecided = held { actions += startScrub(held.key) }
    if let releaseAt, releaseAt <= now { actions += release(held.key) }
    return actions
  }

  private mutating func startScrub(_ key: PassThroughKey) -> [TargetAction] {
    scrubAt = nil
    held = .scrubbing(key)
    return Self.scrub(key).map { [$0] } ?? []
  }

  private static func scrub(_ key: PassThroughKey) -> TargetAction? {
    switch key {
    case .operation(.fastForward): .scrubForward
    case .operation(.rewind): .scrubBack
    default: nil
    }
  }

  private static func repeats(_ key: PassThroughKey) -> Bool {
    key == .operation(.volumeUp) || key == .operation(.volumeDown)
  }

  static func tap(_ key: PassThroughKey) -> [TargetAction] {
    switch key {
    case .operation(.play): [.play]
    case .operation(.pause): [.pause]
    case .operation(.stop): [.stop]
    case .operation(.forward): [.next]
    case .operation(.backward): [.previous]
    case .operation(.fastForward): [.skipForward]
    case .operation(.rewind): [.skipBack]
    case .operation(.volumeUp): [.volumeUp]
    case .operation(.volumeDown): [.volumeDown]
    case .operation(.mute): [.mute]
    case .operation: []
    case .group(.nextGroup): [.nextGroup]
    case .group(.previousGroup): [.previousGroup]
    }
  }
}

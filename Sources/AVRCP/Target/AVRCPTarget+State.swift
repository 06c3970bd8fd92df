import Reactor

extension AVRCPTarget {
  /// A smaller jump than this is a clock that was set right, not a seek.
  private static let seekTolerance = MediaTime(microseconds: 700_000)

  func take(_ update: TargetUpdate) {
    switch update {
    case .state(let state): take(state)
    case .reachedEnd(let player): if player == addressed { happened(.trackReachedEnd) }
    case .reachedStart(let player): if player == addressed { happened(.trackReachedStart) }
    }
  }

  private func take(_ new: TargetState) {
    let old = state
    state = new
    guard hasState else {
      addressed = new.player(new.addressed)?.id ?? new.players.first?.id
      for player in new.players { announcedCounters[player.id] = player.uidCounter }
      playersRevision = 1
      return stateArrived()
    }
    holdBackCounters(old)
    if old.players.map(\.id) != new.players.map(\.id) || old.players.map(\.name) != new.players.map(\.name) { playersChanged() }
    followAddressed(old)
    notifyChanges()
    notifyNowPlaying(old)
    notifyPosition(old)
    if new.volume != old.volume { volumeWanted() }
  }

  /// Told now, or when it is asked for again.
  func playersChanged() {
    playersRevision &+= 1
    guard registry.contains(.availablePlayersChanged) else { return }
    _ = registry.isNews(.availablePlayersChanged, revision: playersRevision)
    happened(.availablePlayersChanged)
  }

  /// BlueZ asks for the list when it hears of the addressed player, fails where its browsing channel is not up yet, and asks again only when
  /// the players are others: without this the car would not browse until it connects anew.
  func offerPlayersAgain() {
    guard wasAddressedUnbrowsed, hasBrowsing, registry.contains(.availablePlayersChanged) else { return }
    wasAddressedUnbrowsed = false
    playersChanged()
  }

  /// The model's choice moves every car; a car's own choice stays until then, or until that player is gone.
  private func followAddressed(_ old: TargetState) {
    var next = addressed
    if state.addressed != old.addressed, let chosen = state.player(state.addressed) { next = chosen.id }
    if state.player(next) == nil { next = state.player(state.addressed)?.id ?? state.players.first?.id }
    if next != addressed { changeAddressed(to: next) }
  }

  /// 6.9.2: the new player's id first, then the end of everything that was asked of the former one.
  func changeAddressed(to id: UInt16?) {
    guard id != addressed else { return }
    endHeldKey()
    addressed = id
    notifyIfChanged(.addressedPlayerChanged)
    rejectNotificationsOfFormerPlayer()
    continuation.clear()
  }

  private func notifyNowPlaying(_ old: TargetState) {
    guard let player, registry.contains(.nowPlayingContentChanged) else { return }
    guard let before = old.player(player.id), before.nowPlayingRevision != player.nowPlayingRevision else { return }
    _ = registry.isNews(.nowPlayingContentChanged, revision: player.nowPlayingRevision)
    happened(.nowPlayingContentChanged)
  }

  /// Position is told on a seek, on another status and on another track too, whatever the interval.
  private func notifyPosition(_ old: TargetState) {
    guard registry.contains(.playbackPosChanged), let player else { return }
    guard let before = old.player(player.id) else { return }
    let now = timekeeper.now()
    let expected = before.position.place(at: now)
    let actual = player.position.place(at: now)
    let isSeek = actual > expected + Self.seekTolerance || expected > actual + Self.seekTolerance
    if isSeek || before.status != player.status || before.track?.uid != player.track?.uid {
      happened(.playbackPosChanged)
    }
    if before.position.rate != player.position.rate || !registry.contains(.playbackPosChanged) { schedulePosition() }
  }

  // MARK: UID counters

  /// What the car was last told; a player that is new has nothing to hold back.
  func counter(of id: UInt16?) -> UInt16 {
    guard let id else { return 0 }
    return announcedCounters[id] ?? state.player(id)?.uidCounter ?? 0
  }

  private func holdBackCounters(_ old: TargetState) {
    for player in state.players where old.player(player.id) == nil { announcedCounters[player.id] = player.uidCounter }
    announcedCounters = announcedCounters.filter { state.player($0.key) != nil }
    guard counterAlarm == nil, state.players.contains(where: { announcedCounters[$0.id] != $0.uidCounter }) else { return }
    counterAlarm = timekeeper.alarm(after: options.uidHoldBack, leeway: .milliseconds(200), on: queue) { [weak self] in
      self?.assumeIsolated { $0.announceCounters() }
    }
  }

  private func announceCounters() {
    counterAlarm = nil
    for player in state.players { announcedCounters[player.id] = player.uidCounter }
    notifyIfChanged(.uidsChanged)
  }

  /// 6.10.3: UIDs of an older counter may name something else by now.
  func checkCounter(_ counter: UInt16, of player: TargetPlayer) throws(StatusCode) {
    if counter == self.counter(of: player.id) { return }
    if counter == 0 && options.acceptsCounterZero { return }
    throw .uidChanged
  }
}

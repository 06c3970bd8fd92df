import Reactor

extension AVRCPTarget {
  /// 6.7.2: INTERIM with the present value at once, CHANGED once when it is another one.
  func registerNotification(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    guard let command = RegisterNotificationCommand(parameters) else { throw .parameterContentError }
    guard let event = EventID(rawValue: command.event), offers(event) else { throw .invalidParameter }
    // 6.7.2, table 6.39: one setting at the least.
    if event == .playerApplicationSettingChanged && settings.isEmpty { throw .invalidParameter }
    let value = value(of: event)
    registry.register(event, label: label, value: value)
    answer(.registerNotification, .interim, Self.notification(event, value), label)
    switch event {
    case .playbackPosChanged:
      // The standard has no interval of 0; a day is as good as never.
      positionInterval = .seconds(Int64(min(max(command.interval, 1), 86_400)))
      schedulePosition()
    case .addressedPlayerChanged: if !hasBrowsing { wasAddressedUnbrowsed = true }
    case .nowPlayingContentChanged, .availablePlayersChanged:
      // Changed since it was last told, with no registration to tell it by.
      if registry.isNews(event, revision: revision(of: event)) { happened(event) }
      offerPlayersAgain()
    default: break
    }
  }

  static func notification(_ event: EventID, _ value: NotificationValue) -> [UInt8] {
    var bytes: [UInt8] = [event.rawValue]
    value.append(to: &bytes)
    return bytes
  }

  func value(of event: EventID) -> NotificationValue {
    switch event {
    case .playbackStatusChanged: .playbackStatus(shownStatus)
    case .trackChanged: .track(trackUID, shown: trackLines)
    case .playbackPosChanged: .position(position)
    case .battStatusChanged: .battery(state.battery ?? .external)
    case .playerApplicationSettingChanged:
      .settings(settings.map { PlayerSettingPair(attribute: $0.id, value: $0.current) })
    case .addressedPlayerChanged: .addressedPlayer(addressed ?? 0, uidCounter: counter(of: addressed))
    case .uidsChanged: .uids(counter(of: browsedPlayer?.id ?? addressed))
    case .trackReachedEnd, .trackReachedStart, .nowPlayingContentChanged, .availablePlayersChanged,
      .systemStatusChanged, .volumeChanged:
      .nothing
    }
  }

  /// 6.7.2, table 6.32: a UID of the now playing list for a controller that can look it up, 0 for one that cannot.
  private var trackUID: UInt64 {
    guard let player, let track = player.track else { return NotificationValue.noTrack }
    guard browses, features(of: player).contains(.nowPlaying) else { return 0 }
    return track.uid
  }

  /// What a car shows of the track and is told anew when it is another: a chapter, a title that came late. Its place in the queue is
  /// not; a length that is found out more exactly by less than a second is the same.
  private var trackLines: MediaAttributes? {
    guard var lines = player?.track?.attributes else { return nil }
    (lines.trackNumber, lines.totalTracks) = (nil, nil)
    lines.length = lines.length.map { .seconds($0.microseconds / 1_000_000) }
    return lines
  }

  private var browses: Bool {
    options.allowsBrowsing && version >= .v14 && (hasBrowsing || peer.features.contains(.browsing))
  }

  /// A number that is another one when the list an event stands for is.
  func revision(of event: EventID) -> UInt64 {
    switch event {
    case .nowPlayingContentChanged: player?.nowPlayingRevision ?? 0
    case .availablePlayersChanged: playersRevision
    default: 0
    }
  }

  /// Tells of every registered value that is another one than was told last.
  func notifyChanges() {
    for event in [
      EventID.playbackStatusChanged, .trackChanged, .battStatusChanged, .playerApplicationSettingChanged, .uidsChanged,
    ] {
      notifyIfChanged(event)
    }
  }

  func notifyIfChanged(_ event: EventID) {
    let value = value(of: event)
    if let label = registry.complete(event, with: value) { changed(event, value, label) }
  }

  /// The event took place: whoever registered is told, whatever the value.
  func happened(_ event: EventID) {
    if let label = registry.end(event) { changed(event, value(of: event), label) }
  }

  private func changed(_ event: EventID, _ value: NotificationValue, _ label: UInt8) {
    statistics.notifications += 1
    answer(.registerNotification, .changed, Self.notification(event, value), label)
  }

  /// 6.9.2: nobody waits on for what the former player did.
  func rejectNotificationsOfFormerPlayer() {
    for event in EventID.ofThePlayer {
      if let label = registry.end(event) { reject(PDUID.registerNotification.rawValue, .addressedPlayerChanged, label) }
    }
    registry.forgetTold(.nowPlayingContentChanged)
    positionAlarm?.cancel()
    positionAlarm = nil
  }

  // MARK: Position

  /// The next position at the car's interval: only while somebody waits for it and something plays.
  func schedulePosition() {
    positionAlarm?.cancel()
    positionAlarm = nil
    guard registry.contains(.playbackPosChanged), let player, player.position.rate != 0, player.track != nil else { return }
    positionAlarm = timekeeper.alarm(after: positionInterval, leeway: .milliseconds(50), on: queue) { [weak self] in
      self?.assumeIsolated { $0.positionDue() }
    }
  }

  private func positionDue() {
    positionAlarm = nil
    happened(.playbackPosChanged)
  }
}

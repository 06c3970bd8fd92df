import Reactor

extension AVRCPTarget {
  static let unknownTime = UInt32.max

  /// 6.4.1: capability (1), count (1), then the company ids or the events.
  func capabilities(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard parameters.count == 1, let id = parameters.first else { throw .parameterContentError }
    switch CapabilityID(rawValue: id) {
    case .companyID:
      var bytes: [UInt8] = [id, 1]
      bytes.put(CompanyID.bluetoothSIG, bytes: 3)
      return bytes
    case .eventsSupported:
      let events = EventID.allCases.filter(offers)
      return [id, UInt8(clamping: events.count)] + events.map(\.rawValue)
    case nil: throw .invalidParameter
    }
  }

  /// Which events this car may register.
  func offers(_ event: EventID) -> Bool {
    guard version >= event.since else { return false }
    switch event {
    case .battStatusChanged: return state.battery != nil
    // A car asks once, when it connects: whoever is addressed then, what another player has is offered.
    case .playerApplicationSettingChanged:
      return options.allowsSettings && state.players.contains { !$0.settings.isEmpty }
    case .nowPlayingContentChanged:
      return state.players.contains { features(of: $0).contains(.nowPlaying) }
    case .uidsChanged: return options.allowsBrowsing && state.players.contains { $0.isBrowsable }
    // Of a car's own volume; and nothing is known of a system status that this machine would have.
    case .volumeChanged, .systemStatusChanged: return false
    default: return true
    }
  }

  /// 6.6.1: count, then the attributes.
  func elementAttributes(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard let command = GetElementAttributesCommand(parameters) else { throw .parameterContentError }
    guard command.identifier == 0 else { throw .invalidParameter }
    if case .some(let ids) = command.attributes, ids.isEmpty { throw .invalidParameter }
    let attributes = player?.track?.attributes ?? MediaAttributes()
    var entries = AttributeSerializer.entries(attributes, command.attributes, limit: options.maximumFieldLength)
    // Cars clear their display only when told a title.
    if entries.isEmpty { entries = [AttributeValueEntry(id: .title, value: [])] }
    var bytes: [UInt8] = []
    AttributeSerializer.append(entries, to: &bytes)
    return bytes
  }

  /// 6.7.1: length (4), position (4), status (1).
  func playStatus(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard parameters.isEmpty else { throw .parameterContentError }
    var bytes: [UInt8] = []
    bytes.put(player?.track?.attributes.length.map(Self.milliseconds) ?? Self.unknownTime)
    bytes.put(position)
    bytes.append(shownStatus.rawValue)
    return bytes
  }

  /// The player that this car shows and drives now, with the status that it is told.
  public var playerShown: TargetPlayer? {
    guard var player else { return nil }
    player.status = shownStatus
    return player
  }

  /// What this car is told: PAUSED is held back while it still gets sound, for those that cannot bear it.
  var shownStatus: PlayStatus { player.map { shownStatus(of: $0) } ?? .stopped }

  func shownStatus(of player: TargetPlayer) -> PlayStatus {
    if options.holdsPaused, player.status == .paused, player.id == addressed, state.isStreaming { return .playing }
    return player.status
  }

  /// Milliseconds now; all ones without a track.
  var position: UInt32 {
    guard let player, let track = player.track else { return Self.unknownTime }
    let place = player.position.place(at: timekeeper.now())
    let end = track.attributes.length ?? MediaTime(microseconds: .max)
    return Self.milliseconds(place.clamped(to: .zero...max(.zero, end)))
  }

  /// All ones means unknown, so the longest time is one less.
  static func milliseconds(_ time: MediaTime) -> UInt32 {
    UInt32(clamping: max(0, min(time.microseconds / 1000, Int64(unknownTime) - 1)))
  }
}

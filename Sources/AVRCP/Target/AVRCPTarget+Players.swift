extension AVRCPTarget {
  /// 6.9.1: player id (2); the answer is the status.
  func setAddressedPlayer(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    var reader = ByteReader(parameters)
    guard let id = reader.number(UInt16.self), reader.isAtEnd else { throw .parameterContentError }
    guard !state.players.isEmpty else { throw .noAvailablePlayers }
    guard state.player(id) != nil else { throw .invalidPlayerID }
    guard !controlJobs.isFull else { throw .internalError }
    controlJobs.add { [weak self, model] in
      var fault: StatusCode?
      do throws(StatusCode) { try await model.address(id) } catch { fault = error }
      await self?.addressedByCar(id, fault, label)
    }
  }

  private func addressedByCar(_ id: UInt16, _ fault: StatusCode?, _ label: UInt8) {
    controlJobs.done()
    // It may have gone away meanwhile.
    if let fault = fault ?? (state.player(id) == nil ? .invalidPlayerID : nil) {
      return reject(PDUID.setAddressedPlayer.rawValue, fault, label)
    }
    answer(.setAddressedPlayer, .accepted, [StatusCode.completed.rawValue], label)
    changeAddressed(to: id)
  }

  /// 6.12.1: scope (1), UID (8), UID counter (2); the answer is the status.
  func playItem(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    let (command, player, scope) = try itemCommand(parameters)
    let context: TargetContext
    switch scope {
    case .search:
      guard let text = path.search else { throw .noValidSearchResults }
      context = .search(text)
    case .nowPlaying: context = .nowPlaying
    default: context = .folder(folder(of: player))
    }
    // Folders may be another player's than the addressed one: what the listener picked there is what keys and display are for now.
    try ask(.playItem, label, [StatusCode.completed.rawValue], addressing: player.id) { [model] () async throws(StatusCode) in
      try await model.play(command.uid, context: context, player: player.id)
    }
  }

  /// 6.12.2, with the parameters of PlayItem.
  func addToNowPlaying(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    let (command, player, scope) = try itemCommand(parameters)
    guard features(of: player).contains(.addToNowPlaying) else { throw .invalidCommand }
    try ask(.addToNowPlaying, label, [StatusCode.completed.rawValue]) { [model] () async throws(StatusCode) in
      try await model.addToNowPlaying(command.uid, scope: scope, player: player.id)
    }
  }

  private func itemCommand(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> (ItemCommand, TargetPlayer, Scope) {
    guard let command = ItemCommand(parameters) else { throw .parameterContentError }
    guard let scope = Scope(rawValue: command.scope), scope != .mediaPlayerList else { throw .invalidScope }
    let player = try player(for: scope)
    try checkCounter(command.uidCounter, of: player)
    guard command.uid != 0, command.uid != .max else { throw .doesNotExist }
    return (command, player, scope)
  }

  /// Now playing belongs to the addressed player, folders and search to the browsed one.
  func player(for scope: Scope) throws(StatusCode) -> TargetPlayer {
    guard !state.players.isEmpty else { throw .noAvailablePlayers }
    switch scope {
    case .nowPlaying:
      guard let player, features(of: player).contains(.nowPlaying) else { throw .invalidScope }
      return player
    default:
      guard let player = browsedPlayer else { throw .playerNotBrowsable }
      return player
    }
  }

  /// Cars browse before they set a browsed player: then it is the addressed one, or the first that can be browsed.
  var browsedPlayer: TargetPlayer? {
    if let chosen = state.player(path.player), features(of: chosen).contains(.browsing) { return chosen }
    if let player, features(of: player).contains(.browsing) { return player }
    return state.players.first { features(of: $0).contains(.browsing) }
  }
}

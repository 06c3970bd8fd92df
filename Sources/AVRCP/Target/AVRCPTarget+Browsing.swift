extension AVRCPTarget {
  /// One packet of the browsing channel. Answered in order; reading stops while as much waits as may.
  func receiveBrowsing(_ packet: [UInt8]) {
    guard let message = AVCTPMessage(packet), !message.isResponse else {
      statistics.dropped += 1
      return
    }
    guard message.profile == AVCTPMessage.remoteControl else { return sendInvalidProfile(message, sendBrowsing) }
    let channel = browsingChannel
    browsingJobs.add { [weak self] in await self?.browse(message, on: channel) }
    if browsingJobs.isFull { holdReading(true, ofControl: false) }
  }

  private func browse(_ message: AVCTPMessage, on channel: UInt64) async {
    // Nobody waits for what was asked on a channel that has ended, and on the one in its place another question may have the label.
    guard channel == browsingChannel else { return browsed() }
    let answer = await answerBrowsing(message.payload)
    browsed()
    guard !hasEnded, channel == browsingChannel else { return }
    var packet: [UInt8] = []
    packet.reserveCapacity(AVCTPMessage.headerLength + BrowsingPDU.headerLength + answer.parameters.count)
    AVCTPMessage.appendHeader(to: &packet, label: message.label, isResponse: true)
    packet.append(answer.pdu)
    packet.put(UInt16(clamping: answer.parameters.count))
    packet.append(contentsOf: answer.parameters)
    sendBrowsing(packet)
  }

  private func browsed() {
    if browsingJobs.isFull { holdReading(false, ofControl: false) }
    browsingJobs.done()
  }

  func answerBrowsing(_ payload: ArraySlice<UInt8>) async -> BrowsingPDU {
    statistics.browsingCommands += 1
    let command: BrowsingPDU
    do {
      command = try BrowsingPDU(payload)
    } catch .lengthMismatch(let number) where Self.browsingPDUs.contains(number) {
      guard let meant = Self.asBlueZCounts(payload) else { return refused(number, .parameterContentError) }
      command = meant
    } catch {
      return refused(PDUID.generalReject.rawValue, .invalidCommand)
    }
    guard Self.browsingPDUs.contains(command.pdu), let pdu = PDUID(rawValue: command.pdu) else {
      return refused(PDUID.generalReject.rawValue, .invalidCommand)
    }
    do throws(StatusCode) {
      return BrowsingPDU(pdu, parameters: try await respond(to: pdu, command.parameters)[...])
    } catch {
      return refused(command.pdu, error)
    }
  }

  static let browsingPDUs = Set(
    [PDUID.setBrowsedPlayer, .getFolderItems, .changePath, .getItemAttributes, .getTotalNumberOfItems, .search]
      .map(\.rawValue))

  /// BlueZ as a car (seen with 5.66, and in its sources up to 5.87) asks for the number of items with seven bytes that it says are
  /// eleven, all but the scope 0. Refused, it lists no more rows than there were when it entered.
  private static func asBlueZCounts(_ payload: ArraySlice<UInt8>) -> BrowsingPDU? {
    let bytes = Array(payload)
    let head: [UInt8] = [PDUID.getTotalNumberOfItems.rawValue, 0, 11]
    guard bytes.count == 10, bytes[..<3].elementsEqual(head), bytes[4...].allSatisfy({ $0 == 0 }) else { return nil }
    return BrowsingPDU(.getTotalNumberOfItems, parameters: bytes[3...3])
  }

  private func refused(_ number: UInt8, _ status: StatusCode) -> BrowsingPDU {
    statistics.rejected += 1
    var answer = BrowsingPDU(.generalReject, parameters: [status.rawValue])
    answer.pdu = number
    return answer
  }

  private func respond(to pdu: PDUID, _ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    switch pdu {
    case .setBrowsedPlayer: try await setBrowsedPlayer(parameters)
    case .getFolderItems: try await folderItems(parameters)
    case .changePath: try await changePath(parameters)
    case .getItemAttributes: try await itemAttributes(parameters)
    case .getTotalNumberOfItems: try await totalNumberOfItems(parameters)
    case .search: try await search(parameters)
    default: throw .invalidCommand
    }
  }

  /// 6.9.3: player id (2) → status, UID counter (2), items (4), character set (2), depth (1) and the names down to there.
  /// A player is always entered at its root, so there are none.
  private func setBrowsedPlayer(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    var reader = ByteReader(parameters)
    guard let id = reader.number(UInt16.self), reader.isAtEnd else { throw .parameterContentError }
    guard !state.players.isEmpty else { throw .noAvailablePlayers }
    guard let player = state.player(id) else { throw .invalidPlayerID }
    guard features(of: player).contains(.browsing) else { throw .playerNotBrowsable }
    let total = try await model.children(of: 0, player: id, range: 0..<0).total
    path.reset(to: id)
    notifyIfChanged(.uidsChanged)
    var bytes = header(counter(of: id))
    bytes.put(UInt32(clamping: total))
    bytes.put(CharacterSet.utf8.rawValue)
    bytes.append(0)
    return bytes
  }

  /// 6.10.4.2: status, UID counter (2), number of items (2), items.
  private func folderItems(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    guard let command = GetFolderItemsCommand(parameters) else { throw .parameterContentError }
    guard let scope = Scope(rawValue: command.scope) else { throw .invalidScope }
    guard command.start <= command.end else { throw .rangeOutOfBounds }
    var packer = PagePacker(outgoingMTU: browsingMTU)
    let counter: UInt16
    if scope == .mediaPlayerList {
      counter = self.counter(of: addressed)
      try packPlayers(command, &packer)
    } else {
      let player = try player(for: scope)
      counter = self.counter(of: player.id)
      let start = Int(command.start)
      let end = Int(min(UInt64(command.end) + 1, UInt64(command.start) + UInt64(packer.mostItems)))
      let page = try await page(scope, player, start..<end)
      guard start < page.total else { throw .rangeOutOfBounds }
      for item in page.items.prefix(end - start) {
        guard packer.add(item, command.attributes, limit: options.maximumFieldLength) else { break }
      }
    }
    guard packer.count > 0 else { throw .rangeOutOfBounds }
    var bytes = header(counter, reserving: packer.bytes.count)
    bytes.put(UInt16(packer.count))
    bytes.append(contentsOf: packer.bytes)
    return bytes
  }

  private func packPlayers(_ command: GetFolderItemsCommand, _ packer: inout PagePacker) throws(StatusCode) {
    guard !state.players.isEmpty else { throw .noAvailablePlayers }
    guard Int(command.start) < state.players.count else { throw .rangeOutOfBounds }
    for player in state.players[Int(command.start)...min(Int(command.end), state.players.count - 1)] {
      let added = packer.add(
        player, status: shownStatus(of: player), features: features(of: player), limit: options.maximumFieldLength)
      if !added { break }
    }
  }

  /// Rows of one of the three lists that belong to a player.
  private func page(_ scope: Scope, _ player: TargetPlayer, _ range: Range<Int>) async throws(StatusCode) -> TargetPage {
    switch scope {
    case .search:
      guard let text = path.search else { throw .noValidSearchResults }
      return try await model.search(text, player: player.id, range: range)
    case .nowPlaying: return try await model.nowPlaying(player: player.id, range: range)
    default: return try await model.children(of: folder(of: player), player: player.id, range: range)
    }
  }

  /// Where the car stands in the player's folders.
  func folder(of player: TargetPlayer) -> UInt64 {
    path.player == nil || path.player == player.id ? path.current : 0
  }

  /// 6.10.4.1: status, items (4).
  private func changePath(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    guard let command = ChangePathCommand(parameters) else { throw .parameterContentError }
    let player = try player(for: .virtualFilesystem)
    try checkCounter(command.uidCounter, of: player)
    guard let direction = PathDirection(rawValue: command.direction) else { throw .invalidDirection }
    if path.player != player.id { path.reset(to: player.id) }
    var next = path
    switch direction {
    case .up:
      guard next.parent != nil else { throw .invalidDirection }
      next.up()
    case .down:
      guard command.folder != 0, command.folder != .max else { throw .doesNotExist }
      let item = try await model.item(command.folder, scope: .virtualFilesystem, player: player.id)
      guard case .folder = item.kind else { throw .notADirectory }
      guard next.down(command.folder) else { throw .invalidDirection }
    }
    let total = try await model.children(of: next.current, player: player.id, range: 0..<0).total
    path = next
    var bytes: [UInt8] = [StatusCode.completed.rawValue]
    bytes.put(UInt32(clamping: total))
    return bytes
  }

  /// 6.10.4.3: status, number of attributes (1), attributes.
  private func itemAttributes(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    guard let command = GetItemAttributesCommand(parameters) else { throw .parameterContentError }
    guard let scope = Scope(rawValue: command.scope), scope != .mediaPlayerList else { throw .invalidScope }
    if scope == .search && path.search == nil { throw .noValidSearchResults }
    if case .some(let ids) = command.attributes, ids.isEmpty { throw .invalidParameter }
    let player = try player(for: scope)
    try checkCounter(command.uidCounter, of: player)
    guard command.uid != 0, command.uid != .max else { throw .doesNotExist }
    let item = try await model.item(command.uid, scope: scope, player: player.id)
    var attributes = item.attributes
    if attributes.title == nil { attributes.title = item.name }
    var entries = AttributeSerializer.entries(attributes, command.attributes, limit: options.maximumFieldLength)
    let room = browsingMTU - AVCTPMessage.headerLength - BrowsingPDU.headerLength - 2
    if entries.reduce(0, { $0 + $1.length }) > room {
      var none: [UInt8] = []
      AttributeSerializer.shrink(&entries, name: &none, toFit: max(0, room))
    }
    var bytes: [UInt8] = [StatusCode.completed.rawValue]
    AttributeSerializer.append(entries, to: &bytes)
    return bytes
  }

  /// 6.10.4.4: status, UID counter (2), items (4).
  private func totalNumberOfItems(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    guard parameters.count == 1, let number = parameters.first else { throw .parameterContentError }
    guard let scope = Scope(rawValue: number) else { throw .invalidScope }
    let total: Int
    let counter: UInt16
    if scope == .mediaPlayerList {
      total = state.players.count
      counter = self.counter(of: addressed)
    } else {
      let player = try player(for: scope)
      total = try await page(scope, player, 0..<0).total
      counter = self.counter(of: player.id)
    }
    var bytes = header(counter)
    bytes.put(UInt32(clamping: total))
    return bytes
  }

  /// 6.11.1: status, UID counter (2), items (4).
  private func search(_ parameters: ArraySlice<UInt8>) async throws(StatusCode) -> [UInt8] {
    guard let command = SearchCommand(parameters) else { throw .parameterContentError }
    guard let characterSet = CharacterSet(rawValue: command.characterSet),
      characterSet == .utf8 || command.text.allSatisfy({ $0 < 0x80 })
    else { throw .invalidParameter }
    guard !command.text.isEmpty, let text = String(validating: command.text, as: UTF8.self) else {
      throw .parameterContentError
    }
    let player = try player(for: .virtualFilesystem)
    guard features(of: player).contains(.searching) else { throw .searchNotSupported }
    let total = try await model.search(text, player: player.id, range: 0..<0).total
    if path.player != player.id { path.reset(to: player.id) }
    path.search = text
    var bytes = header(counter(of: player.id))
    bytes.put(UInt32(clamping: total))
    return bytes
  }

  private func header(_ counter: UInt16, reserving count: Int = 8) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(PagePacker.responseFixedLength + count)
    bytes.append(StatusCode.completed.rawValue)
    bytes.put(counter)
    return bytes
  }
}

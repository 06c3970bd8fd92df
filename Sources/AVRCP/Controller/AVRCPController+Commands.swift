extension AVRCPController {
  // MARK: Control

  /// Presses and releases a key.
  public func tap(_ key: OperationID) async throws {
    try await send(PassThroughCommand(key, isReleased: false))
    try await send(PassThroughCommand(key, isReleased: true))
  }

  public func tap(_ key: GroupNavigation) async throws {
    try await send(.group(key, isReleased: false))
    try await send(.group(key, isReleased: true))
  }

  public func press(_ key: OperationID) async throws { try await send(PassThroughCommand(key, isReleased: false)) }
  public func release(_ key: OperationID) async throws { try await send(PassThroughCommand(key, isReleased: true)) }

  private func send(_ command: PassThroughCommand) async throws {
    let frame = AVCFrame(type: AVCCommandType.control.rawValue, opcode: .passThrough, operands: command.operands[...])
    let answer = try await ask(frame)
    guard answer.type == AVCResponseType.accepted.rawValue else { throw ControllerError.notImplemented }
    guard answer.operands.elementsEqual(command.operands) else { throw ControllerError.malformed("pass through") }
  }

  public func supportedEvents() async throws -> [EventID] {
    let answer = try await command(.getCapabilities, .status, [CapabilityID.eventsSupported.rawValue])
    guard answer.parameters.count >= 2, Int(answer.parameters[1]) == answer.parameters.count - 2 else {
      throw ControllerError.malformed("capabilities")
    }
    return answer.parameters[2...].compactMap(EventID.init(rawValue:))
  }

  public func playStatus() async throws -> ControllerPlayStatus {
    var decoder = ControllerDecoder(try await command(.getPlayStatus, .status).parameters)
    let (length, position) = (try decoder.number(UInt32.self), try decoder.number(UInt32.self))
    guard let status = PlayStatus(rawValue: try decoder.number(UInt8.self)) else {
      throw ControllerError.malformed("play status")
    }
    try decoder.end()
    return ControllerPlayStatus(
      length: length == .max ? nil : length, position: position == .max ? nil : position, status: status)
  }

  public func elementAttributes(_ selection: AttributeSelection = .all) async throws -> [UInt32: String] {
    let parameters = GetElementAttributesCommand(attributes: selection).parameters
    var decoder = ControllerDecoder(try await command(.getElementAttributes, .status, parameters).parameters)
    let attributes = try decoder.attributes()
    try decoder.end()
    return attributes
  }

  /// - Returns: the present value; the next one comes in `events`.
  @discardableResult
  public func register(_ event: EventID, interval: UInt32 = 0) async throws -> ControllerEvent {
    let parameters = RegisterNotificationCommand(event, interval: interval).parameters
    let answer = try await command(.registerNotification, .notify, parameters)
    guard answer.type == .interim, let value = ControllerEvent(parameters: answer.parameters) else {
      throw ControllerError.malformed("interim response")
    }
    return value
  }

  public func setAddressedPlayer(_ id: UInt16) async throws {
    let answer = try await command(.setAddressedPlayer, .control, [UInt8(id >> 8), UInt8(id & 0xFF)])
    guard answer.parameters == [StatusCode.completed.rawValue] else { throw ControllerError.malformed("status") }
  }

  public func play(_ uid: UInt64, scope: Scope, uidCounter: UInt16) async throws {
    let parameters = ItemCommand(scope: scope, uid: uid, uidCounter: uidCounter).parameters
    let answer = try await command(.playItem, .control, parameters)
    guard answer.parameters == [StatusCode.completed.rawValue] else { throw ControllerError.malformed("status") }
  }

  public func addToNowPlaying(_ uid: UInt64, scope: Scope, uidCounter: UInt16) async throws {
    let parameters = ItemCommand(scope: scope, uid: uid, uidCounter: uidCounter).parameters
    let answer = try await command(.addToNowPlaying, .control, parameters)
    guard answer.parameters == [StatusCode.completed.rawValue] else { throw ControllerError.malformed("status") }
  }

  // MARK: Browsing

  /// - Returns: the root's number of items.
  @discardableResult
  public func setBrowsedPlayer(_ id: UInt16) async throws -> (uidCounter: UInt16, items: UInt32, depth: UInt8) {
    var decoder = ControllerDecoder(try await browse(.setBrowsedPlayer, [UInt8(id >> 8), UInt8(id & 0xFF)]))
    let (counter, items) = (try decoder.number(UInt16.self), try decoder.number(UInt32.self))
    guard try decoder.number(UInt16.self) == 106 else { throw ControllerError.malformed("character set") }
    return (counter, items, try decoder.number(UInt8.self))
  }

  public func folderItems(
    _ scope: Scope, from start: UInt32, to end: UInt32, _ selection: AttributeSelection = .all
  ) async throws -> ControllerPage {
    let parameters = GetFolderItemsCommand(scope: scope, start: start, end: end, attributes: selection).parameters
    var decoder = ControllerDecoder(try await browse(.getFolderItems, parameters))
    let counter = try decoder.number(UInt16.self)
    var items: [ControllerItem] = []
    for _ in 0..<(try decoder.number(UInt16.self)) { items.append(try decoder.item()) }
    try decoder.end()
    return ControllerPage(uidCounter: counter, items: items)
  }

  /// A whole list, in pages of `size` rows, as cars do it.
  public func allItems(
    _ scope: Scope, pageSize size: UInt32 = 10, _ selection: AttributeSelection = .all
  ) async throws -> [ControllerItem] {
    var items: [ControllerItem] = []
    let total = Int(try await totalNumberOfItems(scope).items)
    while items.count < total {
      let start = UInt32(items.count)
      let page = try await folderItems(scope, from: start, to: start + max(1, size) - 1, selection).items
      guard !page.isEmpty else { throw ControllerError.malformed("an empty page") }
      items += page
    }
    return items
  }

  /// - Returns: the new folder's number of items.
  public func changePath(_ direction: PathDirection, _ folder: UInt64 = 0, uidCounter: UInt16) async throws -> UInt32 {
    let parameters = ChangePathCommand(uidCounter: uidCounter, direction: direction, folder: folder).parameters
    var decoder = ControllerDecoder(try await browse(.changePath, parameters))
    let items = try decoder.number(UInt32.self)
    try decoder.end()
    return items
  }

  public func itemAttributes(
    _ uid: UInt64, scope: Scope, uidCounter: UInt16, _ selection: AttributeSelection = .all
  ) async throws -> [UInt32: String] {
    let parameters = GetItemAttributesCommand(scope: scope, uid: uid, uidCounter: uidCounter, attributes: selection).parameters
    var decoder = ControllerDecoder(try await browse(.getItemAttributes, parameters))
    let attributes = try decoder.attributes()
    try decoder.end()
    return attributes
  }

  public func totalNumberOfItems(_ scope: Scope) async throws -> (uidCounter: UInt16, items: UInt32) {
    var decoder = ControllerDecoder(try await browse(.getTotalNumberOfItems, [scope.rawValue]))
    let answer = (try decoder.number(UInt16.self), try decoder.number(UInt32.self))
    try decoder.end()
    return answer
  }

  public func search(_ text: String) async throws -> (uidCounter: UInt16, items: UInt32) {
    var decoder = ControllerDecoder(try await browse(.search, SearchCommand(text).parameters))
    let answer = (try decoder.number(UInt16.self), try decoder.number(UInt32.self))
    try decoder.end()
    return answer
  }
}

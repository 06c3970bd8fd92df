/// What a head unit reads out of answers. Written from the standard's tables, apart from the target's encoders.
public enum ControllerEvent: Sendable, Equatable {
  case playbackStatus(PlayStatus)
  /// 0: not for browsing; nil: none is selected.
  case track(UInt64?)
  case reachedEnd
  case reachedStart
  /// Milliseconds, or nil.
  case position(UInt32?)
  case battery(BatteryStatus)
  case settings([PlayerSettingPair])
  case nowPlayingContent
  case availablePlayers
  case addressedPlayer(UInt16, uidCounter: UInt16)
  case uids(UInt16)
  case rejected(EventID, StatusCode?)
  case malformed(EventID)

  /// - Parameter payload: an AV/C frame: type, subunit, opcode, company (3), PDU, packet type, length (2), event, value.
  init(_ event: EventID, _ payload: [UInt8]) {
    guard payload.count > 10, payload[6] == 0x31, Int(payload[8]) << 8 | Int(payload[9]) == payload.count - 10 else {
      self = .malformed(event)
      return
    }
    if payload[0] == 0x0A {
      self = .rejected(event, StatusCode(rawValue: payload[10]))
      return
    }
    self = Self(parameters: Array(payload[10...])) ?? .malformed(event)
  }

  /// Event (1) and its value.
  public init?(parameters: [UInt8]) {
    func big(_ at: Int, _ count: Int) -> UInt64? {
      guard parameters.count == at + count else { return nil }
      return parameters[at...].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard let first = parameters.first, let event = EventID(rawValue: first) else { return nil }
    switch event {
    case .playbackStatusChanged:
      guard let value = big(1, 1), let status = PlayStatus(rawValue: UInt8(value)) else { return nil }
      self = .playbackStatus(status)
    case .trackChanged:
      guard let value = big(1, 8) else { return nil }
      self = .track(value == .max ? nil : value)
    case .trackReachedEnd: self = .reachedEnd
    case .trackReachedStart: self = .reachedStart
    case .playbackPosChanged:
      guard let value = big(1, 4) else { return nil }
      self = .position(value == 0xFFFF_FFFF ? nil : UInt32(value))
    case .battStatusChanged:
      guard let value = big(1, 1), let status = BatteryStatus(rawValue: UInt8(value)) else { return nil }
      self = .battery(status)
    case .playerApplicationSettingChanged:
      guard parameters.count >= 2, parameters.count == 2 + 2 * Int(parameters[1]) else { return nil }
      self = .settings(
        stride(from: 2, to: parameters.count, by: 2).map {
          PlayerSettingPair(attribute: parameters[$0], value: parameters[$0 + 1])
        })
    case .nowPlayingContentChanged: self = .nowPlayingContent
    case .availablePlayersChanged: self = .availablePlayers
    case .addressedPlayerChanged:
      guard let value = big(1, 4) else { return nil }
      self = .addressedPlayer(UInt16(value >> 16), uidCounter: UInt16(value & 0xFFFF))
    case .uidsChanged:
      guard let value = big(1, 2) else { return nil }
      self = .uids(UInt16(value))
    case .systemStatusChanged, .volumeChanged: return nil
    }
  }
}

/// GetPlayStatus.
public struct ControllerPlayStatus: Sendable, Equatable {
  /// Milliseconds.
  public var length: UInt32?
  public var position: UInt32?
  public var status: PlayStatus
}

/// A row of GetFolderItems.
public enum ControllerItem: Sendable, Equatable {
  case player(id: UInt16, name: String, subtype: UInt32, status: PlayStatus, features: PlayerFeatures)
  case folder(uid: UInt64, type: UInt8, isPlayable: Bool, name: String)
  case element(uid: UInt64, name: String, attributes: [UInt32: String])

  public var name: String {
    switch self {
    case .player(_, let name, _, _, _), .folder(_, _, _, let name), .element(_, let name, _): name
    }
  }

  public var uid: UInt64? {
    switch self {
    case .player: nil
    case .folder(let uid, _, _, _), .element(let uid, _, _): uid
    }
  }
}

/// A page of a list.
public struct ControllerPage: Sendable, Equatable {
  public var uidCounter: UInt16
  public var items: [ControllerItem]
}

/// Reads what a target sent; every length has to come out even.
struct ControllerDecoder {
  private var reader: ByteReader

  init(_ bytes: [UInt8]) { reader = ByteReader(bytes) }

  private func need<T>(_ value: T?, _ what: String) throws -> T {
    guard let value else { throw ControllerError.malformed(what) }
    return value
  }

  mutating func number<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type) throws -> T {
    try need(reader.number(type), "too short")
  }

  /// Character set (2), length (2), text.
  mutating func text() throws -> String {
    guard try number(UInt16.self) == 106 else { throw ControllerError.malformed("character set") }
    let length = Int(try number(UInt16.self))
    let bytes = try need(reader.take(length), "text length")
    return try need(String(validating: bytes, as: UTF8.self), "UTF-8")
  }

  /// Count (1), then id (4), character set (2), length (2), text.
  mutating func attributes() throws -> [UInt32: String] {
    var attributes: [UInt32: String] = [:]
    for _ in 0..<(try number(UInt8.self)) {
      let id = try number(UInt32.self)
      attributes[id] = try text()
    }
    return attributes
  }

  mutating func item() throws -> ControllerItem {
    let type = try number(UInt8.self)
    let length = Int(try number(UInt16.self))
    var inner = ControllerDecoder(Array(try need(reader.take(length), "item length")))
    let item: ControllerItem
    switch type {
    case 1:
      let id = try inner.number(UInt16.self)
      guard try inner.number(UInt8.self) == 1 else { throw ControllerError.malformed("player type") }
      let subtype = try inner.number(UInt32.self)
      let status = try need(PlayStatus(rawValue: try inner.number(UInt8.self)), "play status")
      let features = try need(PlayerFeatures(octets: try need(inner.reader.take(16), "features")), "features")
      item = .player(id: id, name: try inner.text(), subtype: subtype, status: status, features: features)
    case 2:
      let uid = try inner.number(UInt64.self)
      let folderType = try inner.number(UInt8.self)
      let isPlayable = try inner.number(UInt8.self) == 1
      item = .folder(uid: uid, type: folderType, isPlayable: isPlayable, name: try inner.text())
    case 3:
      let uid = try inner.number(UInt64.self)
      guard try inner.number(UInt8.self) == 0 else { throw ControllerError.malformed("media type") }
      let name = try inner.text()
      item = .element(uid: uid, name: name, attributes: try inner.attributes())
    default: throw ControllerError.malformed("item type")
    }
    try inner.end()
    return item
  }

  func end() throws {
    guard reader.isAtEnd else { throw ControllerError.malformed("bytes left over") }
  }
}

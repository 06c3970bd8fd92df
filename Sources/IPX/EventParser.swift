/// One event of a server-sent event stream (WHATWG HTML, 9.2).
public struct ServerEvent: Sendable, Equatable {
  /// `message` where the stream named none.
  public var name: String
  public var data: String
  /// The last id seen so far; nil when there was none.
  public var id: String?
}

/// Bytes in, events out, in any pieces. What would grow without bound is dropped, up to the next blank line.
public struct EventParser: Sendable {
  /// Longer events are dropped and counted.
  public static let maximumEvent = 4 << 20

  public private(set) var lastID: String?
  /// `retry:` as the server asked for, in milliseconds.
  public private(set) var retry: Int64?
  public private(set) var dropped = 0
  private var line: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var name = ""
  private var isTooLong = false
  private var lastWasReturn = false
  private var isAtStart = true

  public init(lastID: String? = nil) {
    self.lastID = lastID
  }

  /// Every complete event in what came so far; a comment line alone gives none.
  public mutating func feed(_ bytes: some Sequence<UInt8>) -> [ServerEvent] {
    var events: [ServerEvent] = []
    for byte in bytes {
      // Lines end with LF, CR or both.
      if byte == 0x0a, lastWasReturn {
        lastWasReturn = false
        continue
      }
      lastWasReturn = byte == 0x0d
      if byte == 0x0a || byte == 0x0d {
        if let event = endLine() { events.append(event) }
        continue
      }
      if line.count + data.count < Self.maximumEvent { line.append(byte) } else { isTooLong = true }
    }
    return events
  }

  private mutating func endLine() -> ServerEvent? {
    defer { line.removeAll(keepingCapacity: line.capacity < 65536) }
    if isAtStart {
      isAtStart = false
      if line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    guard !isTooLong, line[0] != UInt8(ascii: ":") else { return nil }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[min(line.endIndex, colon + 1)...]
    if value.first == 0x20 { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data":
      if hasData { data.append(0x0a) }
      data += value
      hasData = true
    case "event": name = String(decoding: value, as: UTF8.self)
    case "id":
      // It goes into a request header: nothing that could end the line there.
      if !value.contains(where: { $0 < 0x20 || $0 == 0x7f }), value.count <= 1024 {
        lastID = value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
      }
    case "retry":
      if value.allSatisfy({ (0x30...0x39).contains($0) }) { retry = Int64(String(decoding: value, as: UTF8.self)) }
    default: break
    }
    return nil
  }

  private mutating func dispatch() -> ServerEvent? {
    defer {
      data = []
      hasData = false
      name = ""
      isTooLong = false
    }
    if isTooLong {
      dropped += 1
      return nil
    }
    guard hasData else { return nil }
    return ServerEvent(name: name.isEmpty ? "message" : name, data: String(decoding: data, as: UTF8.self), id: lastID)
  }
}

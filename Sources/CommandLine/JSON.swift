import DBus
import FoundationEssentials

/// What `--json` prints.
public indirect enum JSON: Sendable, Equatable, Encodable {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case double(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .uint(let value): try container.encode(value)
    // JSON has no word for what is not finite.
    case .double(let value): if value.isFinite { try container.encode(value) } else { try container.encodeNil() }
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }

  public var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "null" }
    return String(decoding: data, as: UTF8.self)
  }

  /// The same value as it stood on the bus; dictionaries with other than text keys use the key's text.
  public init(_ value: DBusValue) {
    switch value {
    case .byte(let v): self = .uint(UInt64(v))
    case .boolean(let v): self = .bool(v)
    case .int16(let v): self = .int(Int64(v))
    case .uint16(let v): self = .uint(UInt64(v))
    case .int32(let v): self = .int(Int64(v))
    case .uint32(let v): self = .uint(UInt64(v))
    case .int64(let v): self = .int(v)
    case .uint64(let v): self = .uint(v)
    case .double(let v): self = .double(v)
    case .string(let v), .signature(let v): self = .string(v)
    case .objectPath(let v): self = .string(v.text)
    case .unixFD: self = .null
    case .array(_, let values), .structure(let values): self = .array(values.map(JSON.init))
    case .dictionary(_, _, let entries):
      self = .object(
        Dictionary(entries.map { (Self.key($0.key), JSON($0.value)) }, uniquingKeysWith: { _, later in later }))
    case .variant(let inner): self = JSON(inner)
    }
  }

  private static func key(_ value: DBusValue) -> String {
    if case .string(let text) = value { return text }
    return "\(value)"
  }
}

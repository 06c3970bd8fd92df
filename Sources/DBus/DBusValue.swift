/// A value of the D-Bus type system (D-Bus specification, "Type System").
public enum DBusValue: Sendable, Equatable {
  case byte(UInt8)
  case boolean(Bool)
  case int16(Int16)
  case uint16(UInt16)
  case int32(Int32)
  case uint32(UInt32)
  case int64(Int64)
  case uint64(UInt64)
  case double(Double)
  case string(String)
  case objectPath(ObjectPath)
  case signature(String)
  /// Owned: closed when the last copy goes, unless taken.
  case unixFD(DBusDescriptor)
  /// `element` is the signature of one element, needed when the array is empty.
  case array(element: String, [DBusValue])
  /// An `a{…}`: key signature, value signature, entries in order.
  case dictionary(key: String, value: String, [DBusEntry])
  case structure([DBusValue])
  indirect case variant(DBusValue)
}

public struct DBusEntry: Sendable, Equatable {
  public var key: DBusValue
  public var value: DBusValue

  public init(_ key: DBusValue, _ value: DBusValue) {
    self.key = key
    self.value = value
  }
}

/// A valid object path (D-Bus specification, "Valid Object Paths"): `/`, or elements of `[A-Za-z0-9_]+`.
public struct ObjectPath: Sendable, Hashable, CustomStringConvertible {
  public let text: String

  /// Nil when `text` breaks the rule.
  public init?(_ text: String) {
    guard Self.isValid(text) else { return nil }
    self.text = text
  }

  public var description: String { text }

  private static func isValid(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: "/") else { return false }
    if text == "/" { return true }
    return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().allSatisfy { element in
      !element.isEmpty
        && element.allSatisfy { c in
          (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(c) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(c)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c) || c == UInt8(ascii: "_")
        }
    }
  }
}

extension ObjectPath: ExpressibleByStringLiteral {
  /// For paths written in the source; a wrong one is a programming error.
  public init(stringLiteral value: String) {
    precondition(Self.isValid(value), "not an object path: \(value)")
    text = value
  }
}

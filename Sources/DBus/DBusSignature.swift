import CDBus

/// The type signatures of D-Bus (specification, "Type System").
enum DBusSignature {
  /// Zero or more complete types.
  static func isValid(_ signature: String) -> Bool {
    !signature.utf8.contains(0) && dbus_signature_validate(signature, nil) != 0
  }

  /// Exactly one complete type.
  static func isSingle(_ signature: String) -> Bool {
    switch signature {
    case "s", "v", "o", "y", "a{sv}": true
    default: !signature.utf8.contains(0) && dbus_signature_validate_single(signature, nil) != 0
    }
  }
}

extension DBusValue {
  /// The signature of this value's type.
  public var signature: String {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .unixFD: "h"
    case .array(let element, _): "a" + element
    case .dictionary(let key, let value, _): "a{" + key + value + "}"
    case .structure(let members): "(" + members.map(\.signature).joined() + ")"
    case .variant: "v"
    }
  }
}

import CDBus
import Reactor

/// Takes the arguments out of an incoming message. libdbus has checked its framing and every string already; the depth is
/// bounded here once more because we recurse.
enum MessageReader {
  static let maximumDepth = 64

  /// - Throws: `LimitsExceeded` for a value nested too deep.
  static func arguments(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
    var iterator = DBusMessageIter()
    guard dbus_message_iter_init(message, &iterator) != 0 else { return [] }
    return try rest(of: &iterator, depth: 0)
  }

  private static func rest(of iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> [DBusValue] {
    var values: [DBusValue] = []
    while dbus_message_iter_get_arg_type(&iterator) != cdbus_invalid {
      values.append(try value(at: &iterator, depth: depth))
      dbus_message_iter_next(&iterator)
    }
    return values
  }

  private static func value(at iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
    guard depth < maximumDepth else { throw .limitsExceeded("A value is nested more than \(maximumDepth) deep.") }
    switch dbus_message_iter_get_arg_type(&iterator) {
    case cdbus_byte: return .byte(basic(&iterator, 0))
    case cdbus_boolean: return .boolean(basic(&iterator, dbus_bool_t(0)) != 0)
    case cdbus_int16: return .int16(basic(&iterator, 0))
    case cdbus_uint16: return .uint16(basic(&iterator, 0))
    case cdbus_int32: return .int32(basic(&iterator, 0))
    case cdbus_uint32: return .uint32(basic(&iterator, 0))
    case cdbus_int64: return .int64(basic(&iterator, 0))
    case cdbus_uint64: return .uint64(basic(&iterator, 0))
    case cdbus_double: return .double(basic(&iterator, 0))
    case cdbus_string: return .string(text(&iterator))
    case cdbus_signature: return .signature(text(&iterator))
    case cdbus_object_path:
      let path = text(&iterator)
      guard let path = ObjectPath(path) else { throw .invalidArgs("Not an object path: \(path.brief)") }
      return .objectPath(path)
    // libdbus hands out a duplicate; -1 where it had no more descriptors to give.
    case cdbus_unix_fd: return .unixFD(DBusDescriptor(owning: basic(&iterator, -1)))
    case cdbus_array: return try array(at: &iterator, depth: depth)
    case cdbus_struct:
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .structure(try rest(of: &inner, depth: depth + 1))
    case cdbus_variant:
      var inner = DBusMessageIter()
      dbus_message_iter_recurse(&iterator, &inner)
      return .variant(try value(at: &inner, depth: depth + 1))
    case let type:
      throw .invalidArgs("A type this program does not know: \(type)")
    }
  }

  private static func array(at iterator: inout DBusMessageIter, depth: Int) throws(DBusError) -> DBusValue {
    let signature = signature(&iterator).utf8.dropFirst()
    var inner = DBusMessageIter()
    dbus_message_iter_recurse(&iterator, &inner)
    switch dbus_message_iter_get_element_type(&iterator) {
    case cdbus_dict_entry:
      // "{kV…}": a key is always one basic type, one character.
      let key = String(decoding: signature.dropFirst().prefix(1), as: UTF8.self)
      let value = String(decoding: signature.dropFirst(2).dropLast(), as: UTF8.self)
      var entries: [DBusEntry] = []
      while dbus_message_iter_get_arg_type(&inner) == cdbus_dict_entry {
        var entry = DBusMessageIter()
        dbus_message_iter_recurse(&inner, &entry)
        let key = try self.value(at: &entry, depth: depth + 1)
        dbus_message_iter_next(&entry)
        entries.append(DBusEntry(key, try self.value(at: &entry, depth: depth + 1)))
        dbus_message_iter_next(&inner)
      }
      return .dictionary(key: key, value: value, entries)
    case cdbus_byte:
      var start: UnsafePointer<UInt8>?
      var count: Int32 = 0
      dbus_message_iter_get_fixed_array(&inner, &start, &count)
      return .bytes(UnsafeBufferPointer(start: start, count: Int(max(0, count))))
    default:
      return .array(element: String(decoding: signature, as: UTF8.self), try rest(of: &inner, depth: depth + 1))
    }
  }

  private static func basic<T: BitwiseCopyable>(_ iterator: inout DBusMessageIter, _ initial: T) -> T {
    var value = initial
    dbus_message_iter_get_basic(&iterator, &value)
    return value
  }

  private static func text(_ iterator: inout DBusMessageIter) -> String {
    var start: UnsafePointer<CChar>?
    dbus_message_iter_get_basic(&iterator, &start)
    return start.map { String(cString: $0) } ?? ""
  }

  private static func signature(_ iterator: inout DBusMessageIter) -> String {
    guard let start = dbus_message_iter_get_signature(&iterator) else { return "" }
    defer { dbus_free(start) }
    return String(cString: start)
  }
}

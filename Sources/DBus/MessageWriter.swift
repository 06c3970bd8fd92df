import CDBus

/// Appends values to an outgoing message. libdbus ends the process on a wrong call (a bad signature, a type that does not
/// fit its container, a string with a NUL), so everything is checked here first.
struct MessageWriter {
  /// Far above anything we say, far below the bus's 128 MiB: a message too long would cost us the connection.
  static let maximumBytes = 16 << 20
  static let maximumDepth = 32

  private var bytes = 0

  /// - Throws: `LimitsExceeded` or `InvalidArgs`; the message is then half written and must be thrown away.
  static func append(_ values: [DBusValue], to message: OpaquePointer) throws(DBusError) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    var writer = MessageWriter()
    for value in values { try writer.write(value, &iterator, depth: 0) }
  }

  /// An `a{sv}` whose values are asked for one after the other; those that are nil are left out.
  static func appendVardict(
    to message: OpaquePointer, keys: [String], _ value: (String) -> DBusValue?
  ) throws(DBusError) {
    var iterator = DBusMessageIter()
    dbus_message_iter_init_append(message, &iterator)
    var writer = MessageWriter()
    try writer.container(cdbus_array, "{sv}", &iterator) { (writer, array) throws(DBusError) in
      for key in keys {
        guard let value = value(key) else { continue }
        try writer.entry(.string(key), .variant(value), &array, depth: 1)
      }
    }
  }

  private mutating func write(_ value: DBusValue, _ iterator: inout DBusMessageIter, depth: Int) throws(DBusError) {
    guard depth <= Self.maximumDepth else { throw .limitsExceeded("A value is nested more than \(Self.maximumDepth) deep.") }
    switch value {
    case .byte(let v): try basic(cdbus_byte, v, &iterator)
    case .boolean(let v): try basic(cdbus_boolean, dbus_bool_t(v ? 1 : 0), &iterator)
    case .int16(let v): try basic(cdbus_int16, v, &iterator)
    case .uint16(let v): try basic(cdbus_uint16, v, &iterator)
    case .int32(let v): try basic(cdbus_int32, v, &iterator)
    case .uint32(let v): try basic(cdbus_uint32, v, &iterator)
    case .int64(let v): try basic(cdbus_int64, v, &iterator)
    case .uint64(let v): try basic(cdbus_uint64, v, &iterator)
    case .double(let v): try basic(cdbus_double, v, &iterator)
    case .string(let v): try text(cdbus_string, v, &iterator)
    case .objectPath(let v): try text(cdbus_object_path, v.text, &iterator)
    case .signature(let v):
      guard DBusSignature.isValid(v) else { throw .invalidArgs("Not a signature: \(v)") }
      try text(cdbus_signature, v, &iterator)
    case .unixFD(let v): try descriptor(v, &iterator)
    case .array("y", let elements): try byteArray(elements, &iterator)
    case .array(let element, let elements): try array(element, elements, &iterator, depth: depth)
    case .dictionary(let key, let value, let entries): try dictionary(key, value, entries, &iterator, depth: depth)
    case .structure(let members):
      guard !members.isEmpty else { throw .invalidArgs("A structure needs a member.") }
      try container(cdbus_struct, nil, &iterator) { (writer, inner) throws(DBusError) in
        for member in members { try writer.write(member, &inner, depth: depth + 1) }
      }
    case .variant(let inside):
      let signature = inside.signature
      guard DBusSignature.isSingle(signature) else { throw .invalidArgs("Not one type: \(signature)") }
      try container(cdbus_variant, signature, &iterator) { (writer, inner) throws(DBusError) in
        try writer.write(inside, &inner, depth: depth + 1)
      }
    }
  }

  private mutating func array(
    _ element: String, _ elements: [DBusValue], _ iterator: inout DBusMessageIter, depth: Int
  ) throws(DBusError) {
    guard DBusSignature.isSingle(element) else { throw .invalidArgs("Not one type: \(element)") }
    try container(cdbus_array, element, &iterator) { (writer, inner) throws(DBusError) in
      for value in elements {
        guard value.signature == element else { throw .invalidArgs("A \(value.signature) in an array of \(element).") }
        try writer.write(value, &inner, depth: depth + 1)
      }
    }
  }

  private mutating func dictionary(
    _ key: String, _ value: String, _ entries: [DBusEntry], _ iterator: inout DBusMessageIter, depth: Int
  ) throws(DBusError) {
    let element = "{" + key + value + "}"
    guard DBusSignature.isSingle("a" + element) else { throw .invalidArgs("Not a dictionary: a\(element)") }
    try container(cdbus_array, element, &iterator) { (writer, array) throws(DBusError) in
      for item in entries {
        guard item.key.signature == key, item.value.signature == value else {
          throw .invalidArgs("A {\(item.key.signature)\(item.value.signature)} in a dictionary of \(element).")
        }
        try writer.entry(item.key, item.value, &array, depth: depth + 1)
      }
    }
  }

  private mutating func entry(
    _ key: DBusValue, _ value: DBusValue, _ array: inout DBusMessageIter, depth: Int
  ) throws(DBusError) {
    try container(cdbus_dict_entry, nil, &array) { (writer, inner) throws(DBusError) in
      try writer.write(key, &inner, depth: depth)
      try writer.write(value, &inner, depth: depth)
    }
  }

  private mutating func container(
    _ type: Int32, _ signature: String?, _ outer: inout DBusMessageIter,
    _ fill: (inout MessageWriter, inout DBusMessageIter) throws(DBusError) -> Void
  ) throws(DBusError) {
    var inner = DBusMessageIter()
    guard dbus_message_iter_open_container(&outer, type, signature, &inner) != 0 else { throw Self.noMemory }
    do {
      try fill(&self, &inner)
    } catch {
      dbus_message_iter_abandon_container(&outer, &inner)
      throw error
    }
    guard dbus_message_iter_close_container(&outer, &inner) != 0 else { throw Self.noMemory }
    try count(8)
  }

  /// The common long array in one piece rather than a call a byte.
  private mutating func byteArray(_ elements: [DBusValue], _ iterator: inout DBusMessageIter) throws(DBusError) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for element in elements {
      guard case .byte(let byte) = element else { throw .invalidArgs("A \(element.signature) in an array of y.") }
      bytes.append(byte)
    }
    try count(bytes.count)
    try container(cdbus_array, "y", &iterator) { (_, inner) throws(DBusError) in
      let appended = bytes.withUnsafeBufferPointer { buffer in
        guard buffer.count > 0 else { return dbus_bool_t(1) }
        var start = buffer.baseAddress
        return dbus_message_iter_append_fixed_array(&inner, cdbus_byte, &start, Int32(buffer.count))
      }
      guard appended != 0 else { throw Self.noMemory }
    }
  }

  /// A NUL would cut the text short; it becomes U+FFFD. Swift's own strings are always valid UTF-8.
  private mutating func text(_ type: Int32, _ text: String, _ iterator: inout DBusMessageIter) throws(DBusError) {
    let whole = text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
    try count(whole.utf8.count + 5)
    let appended = whole.withCString { start in
      var pointer: UnsafePointer<CChar>? = start
      return dbus_message_iter_append_basic(&iterator, type, &pointer)
    }
    guard appended != 0 else { throw Self.noMemory }
  }

  private mutating func descriptor(_ value: DBusDescriptor, _ iterator: inout DBusMessageIter) throws(DBusError) {
    let appended = value.withDescriptor { descriptor -> Bool? in
      guard descriptor >= 0 else { return nil }
      var number = descriptor
      return dbus_message_iter_append_basic(&iterator, cdbus_unix_fd, &number) != 0
    }
    guard let appended else { throw .invalidArgs("The descriptor was taken already.") }
    guard appended else { throw Self.noMemory }
  }

  private mutating func basic<T: BitwiseCopyable>(
    _ type: Int32, _ value: T, _ iterator: inout DBusMessageIter
  ) throws(DBusError) {
    try count(8)
    var value = value
    guard dbus_message_iter_append_basic(&iterator, type, &value) != 0 else { throw Self.noMemory }
  }

  private mutating func count(_ more: Int) throws(DBusError) {
    bytes += more
    guard bytes <= Self.maximumBytes else { throw .limitsExceeded("A message of more than \(Self.maximumBytes) bytes.") }
  }

  private static let noMemory = DBusError(name: "org.freedesktop.DBus.Error.NoMemory", message: "Out of memory.")
}

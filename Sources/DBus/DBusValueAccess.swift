/// Reading a value without spelling out its case. Each looks through variants first and is nil for any other type.
extension DBusValue {
  /// What stands inside, when this is a variant (or a variant of variants).
  public var unwrapped: DBusValue {
    var value = self
    while case .variant(let inner) = value { value = inner }
    return value
  }

  /// Strings, object paths and signatures.
  public var asString: String? {
    switch unwrapped {
    case .string(let text), .signature(let text): text
    case .objectPath(let path): path.text
    default: nil
    }
  }

  public var asObjectPath: ObjectPath? {
    if case .objectPath(let path) = unwrapped { path } else { nil }
  }

  public var asBool: Bool? {
    if case .boolean(let value) = unwrapped { value } else { nil }
  }

  public var asDouble: Double? {
    if case .double(let value) = unwrapped { value } else { nil }
  }

  /// Any integer type whose value fits.
  public var asInt64: Int64? { integer(Int64.self) }
  public var asUInt64: UInt64? { integer(UInt64.self) }
  public var asInt32: Int32? { integer(Int32.self) }
  public var asUInt32: UInt32? { integer(UInt32.self) }
  public var asUInt16: UInt16? { integer(UInt16.self) }
  public var asByte: UInt8? { integer(UInt8.self) }

  public var asArray: [DBusValue]? {
    switch unwrapped {
    case .array(_, let elements): elements
    case .structure(let members): members
    default: nil
    }
  }

  /// An `as` or `ao`.
  public var asStrings: [String]? {
    guard case .array(_, let elements) = unwrapped else { return nil }
    let strings = elements.compactMap(\.asString)
    return strings.count == elements.count ? strings : nil
  }

  /// An `ay`.
  public var asBytes: [UInt8]? {
    guard case .array("y", let elements) = unwrapped else { return nil }
    return elements.compactMap { if case .byte(let byte) = $0 { byte } else { nil } }
  }

  /// An `a{s…}` (or `a{o…}`), its values unwrapped. Of equal keys the last stands.
  public var asDictionary: [String: DBusValue]? {
    guard case .dictionary(_, _, let entries) = unwrapped else { return nil }
    var dictionary: [String: DBusValue] = [:]
    for entry in entries {
      guard let key = entry.key.asString else { return nil }
      dictionary[key] = entry.value.unwrapped
    }
    return dictionary
  }

  private func integer<I: FixedWidthInteger>(_: I.Type) -> I? {
    switch unwrapped {
    case .byte(let v): I(exactly: v)
    case .int16(let v): I(exactly: v)
    case .uint16(let v): I(exactly: v)
    case .int32(let v): I(exactly: v)
    case .uint32(let v): I(exactly: v)
    case .int64(let v): I(exactly: v)
    case .uint64(let v): I(exactly: v)
    default: nil
    }
  }
}

/// Making the common shapes.
extension DBusValue {
  /// An `a{sv}`; the values are wrapped here.
  public static func vardict(_ entries: [(String, DBusValue)]) -> DBusValue {
    .dictionary(key: "s", value: "v", entries.map { DBusEntry(.string($0.0), .variant($0.1)) })
  }

  public static func strings(_ strings: [String]) -> DBusValue {
    .array(element: "s", strings.map { .string($0) })
  }

  public static func objectPaths(_ paths: [ObjectPath]) -> DBusValue {
    .array(element: "o", paths.map { .objectPath($0) })
  }

  public static func bytes(_ bytes: some Sequence<UInt8>) -> DBusValue {
    .array(element: "y", bytes.map { .byte($0) })
  }
}

import Glibc

/// Which bus to join.
public enum DBusBus: Sendable, Equatable {
  /// `DBUS_SESSION_BUS_ADDRESS`, or the user's own bus in `XDG_RUNTIME_DIR`.
  case session
  /// `DBUS_SYSTEM_BUS_ADDRESS`, or the standard socket.
  case system
  /// A D-Bus server address (specification, "Server Addresses").
  case address(String)

  /// - Throws: `Disconnected` where there is no address to be had.
  func address() throws(DBusError) -> String {
    switch self {
    case .address(let address): return address
    case .system: return Self.environment("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/run/dbus/system_bus_socket"
    case .session:
      if let address = Self.environment("DBUS_SESSION_BUS_ADDRESS") { return address }
      guard let folder = Self.environment("XDG_RUNTIME_DIR"), access(folder + "/bus", F_OK) == 0 else {
        throw .disconnected(
          "There is no session bus: DBUS_SESSION_BUS_ADDRESS is not set and XDG_RUNTIME_DIR holds no bus.")
      }
      return "unix:path=" + Self.escaped(folder + "/bus")
    }
  }

  /// The folder where the bus's socket will appear when it starts; nil for one that has no file, or is not on this machine.
  public var socketFolder: String? {
    guard let address = try? address(), let start = address.firstRange(of: "unix:path=")?.upperBound else { return nil }
    var path: [UInt8] = []
    var rest = address[start...].utf8.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        path.append(byte)
        continue
      }
      guard let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { return nil }
      path.append(escaped)
      rest = rest.dropFirst(2)
    }
    guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return nil }
    return String(decoding: path[..<slash], as: UTF8.self)
  }

  private static func environment(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// As a value in an address (specification, "Server Addresses": the optionally-escaped bytes).
  private static func escaped(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"), UInt8(ascii: "."):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        text += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
      }
    }
    return text
  }
}

import DBus
import Library

/// A list's name on the bus: its id, whatever bytes that is made of, with all but letters and digits as `_XX`; and back.
enum PlaylistID {
  private static let prefix = "/net/sdf1/ipodderx/playlist/"

  static func path(_ id: ItemID) -> ObjectPath? {
    var text = prefix
    for byte in id.text.utf8 {
      if isPlain(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += byte < 16 ? "_0" : "_"
        text += String(byte, radix: 16)
      }
    }
    return ObjectPath(id.text.isEmpty ? text + "_" : text)
  }

  /// Nil for a path that `path` never gives.
  static func item(_ path: ObjectPath) -> ItemID? {
    guard path.text.hasPrefix(prefix) else { return nil }
    var rest = path.text.utf8.dropFirst(prefix.utf8.count)
    if Array(rest) == [UInt8(ascii: "_")] { return ItemID("") }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte != UInt8(ascii: "_") {
        bytes.append(byte)
      } else {
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard let escaped = UInt8(digits, radix: 16) else { return nil }
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let id = ItemID(text)
    return self.path(id) == path ? id : nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }
}

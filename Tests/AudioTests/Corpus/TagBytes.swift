import TestKit

/// Tags written by hand, right and wrong.
enum TagBytes {
  static func frame(_ id: String, _ body: [UInt8], version: UInt8 = 3, plainSize: Bool = false) -> [UInt8] {
    Array(id.utf8) + (version == 4 && !plainSize ? MPEGBytes.syncsafe(body.count) : MPEGBytes.big(body.count)) + [0, 0] + body
  }

  static func text(_ id: String, _ text: String, version: UInt8 = 3, plainSize: Bool = false) -> [UInt8] {
    frame(id, [0] + Array(text.utf8), version: version, plainSize: plainSize)
  }

  /// - Parameter size: what the header says; by default the truth.
  static func id3(_ body: [UInt8], version: UInt8 = 3, flags: UInt8 = 0, size: [UInt8]? = nil) -> [UInt8] {
    let size = size ?? MPEGBytes.syncsafe(body.count)
    let head = Array("ID3".utf8) + [version, 0, flags] + size
    let footer: [UInt8] = flags & 0x10 != 0 ? Array("3DI".utf8) + [version, 0, flags] + size : []
    return head + body + footer
  }

  /// A picture full of what looks like frames: "FF FB 90 00" and other sync words at every turn, at distances that fit by chance or by malice.
  static func picture(_ bytes: Int, version: UInt8 = 3, plainSize: Bool = false) -> [UInt8] {
    var noise = SplitMix64(seed: 7)
    var data: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
    data.reserveCapacity(bytes)
    while data.count < bytes {
      switch noise.below(4) {
      case 0: data += [0xFF, 0xFB, 0x90, 0x00] + noise.bytes(413)
      case 1: data += [0xFF, 0xE3, 0x18, 0xC4] + noise.bytes(68)
      default: data += noise.bytes(1000)
      }
    }
    return frame("APIC", [0] + Array("image/jpeg\0".utf8) + [3, 0] + data.prefix(bytes), version: version, plainSize: plainSize)
  }

  /// FF is written FF 00 where it could be taken for a sync word.
  static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 64)
    for (index, byte) in bytes.enumerated() {
      result.append(byte)
      let next = index + 1 < bytes.count ? bytes[index + 1] : 0
      if byte == 0xFF, next >= 0xE0 || next == 0 { result.append(0) }
    }
    return result
  }

  static func id3v1(title: String = "Old title") -> [UInt8] {
    let name = Array(title.utf8.prefix(30))
    return Array("TAG".utf8) + name + [UInt8](repeating: 0, count: 125 - name.count)
  }

  static func ape(_ items: [(String, [UInt8])], header: Bool = true) -> [UInt8] {
    var body: [UInt8] = []
    for (name, value) in items { body += MPEGBytes.little(value.count) + MPEGBytes.little(0) + Array(name.utf8) + [0] + value }
    func edge(_ flags: Int) -> [UInt8] {
      Array("APETAGEX".utf8) + MPEGBytes.little(2000) + MPEGBytes.little(body.count + 32) + MPEGBytes.little(items.count)
        + MPEGBytes.little(flags) + [UInt8](repeating: 0, count: 8)
    }
    let has = header ? 0x8000_0000 : 0
    return (header ? edge(has | 0x2000_0000) : []) + body + edge(has)
  }

  static func lyrics3v2(_ text: String) -> [UInt8] {
    func digits(_ number: Int, _ count: Int) -> [UInt8] {
      let text = String(number)
      return Array((String(repeating: "0", count: count - text.utf8.count) + text).utf8)
    }
    let body = Array("LYRICSBEGIN".utf8) + Array("LYR".utf8) + digits(text.utf8.count, 5) + Array(text.utf8)
    return body + digits(body.count, 6) + Array("LYRICS200".utf8)
  }

  static func lyrics3v1(_ text: String) -> [UInt8] {
    Array("LYRICSBEGIN".utf8) + Array(text.utf8) + Array("LYRICSEND".utf8)
  }
}

extension SplitMix64 {
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next() >> 24) }
  }
}

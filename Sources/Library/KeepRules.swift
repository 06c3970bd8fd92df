import Store

/// Which kept episodes give way when there is no room, and which come next by rule. Values in, values out.
enum KeepRules {
  /// Rows to throw out so that `wanted` more bytes fit under `limit`: the heard ones, the longest ago first, never one that is unheard
  /// or `playing`. Nil where that is not enough.
  static func victims(_ kept: [KeepRow], wanted: Int64, limit: Int64, playing: Int64?) -> [Int64]? {
    var used = kept.reduce(Int64(0)) { $0 &+ max(0, $1.bytes ?? $1.held) }
    var victims: [Int64] = []
    let order = kept.filter { $0.state == .kept && $0.read && $0.entry != playing }.sorted {
      ($0.stamp, $0.entry) < ($1.stamp, $1.entry)
    }
    for keep in order {
      if used &+ wanted <= limit { break }
      victims.append(keep.entry)
      used -= max(0, keep.bytes ?? 0)
    }
    return used &+ wanted <= limit ? victims : nil
  }

  /// Name of a kept file: the entry's row first, so that no two are alike and ours are known among foreign ones.
  static func fileName(_ row: Int64, _ enclosure: String, type: String?, url: String) -> String {
    var safe = ""
    for scalar in enclosure.unicodeScalars.prefix(40) {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_": safe.unicodeScalars.append(scalar)
      default: safe += "_"
      }
    }
    return "\(row)-\(safe).\(fileExtension(type: type, url: url))"
  }

  /// The row a file belongs to; nil for foreign files.
  static func row(ofFile name: String) -> Int64? {
    guard let dash = name.firstIndex(of: "-"), let row = Int64(name[..<dash]), row > 0 else { return nil }
    return row
  }

  private static func fileExtension(type: String?, url: String) -> String {
    let path = url.split(whereSeparator: { $0 == "?" || $0 == "#" }).first ?? ""
    if let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") {
      let end = name[name.index(after: dot)...].lowercased()
      if (1...5).contains(end.utf8.count), end.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7a).contains($0) }) {
        return end
      }
    }
    switch type?.lowercased() {
    case "audio/mpeg", "audio/mp3": return "mp3"
    case "audio/mp4", "audio/x-m4a", "audio/m4a", "audio/aac": return "m4a"
    case "audio/ogg", "audio/vorbis": return "ogg"
    case "audio/opus": return "opus"
    case "audio/flac": return "flac"
    default: return "audio"
    }
  }
}

import Store

/// Which kept episodes give way when there is no room, and which come next by rule. Values in, values out.
enum KeepRules {
  /// Rows to throw out so that `wanted` more bytes fit under `limit`: the heard ones, the longest ago first, never one that is unheard
  /// or `playing`. Nil where that is not enough.
  static func victims(_ kept: [KeepRow], wanted: Int64, limit: Int64, playing: Int64?) -> [Int64]? {
    let (victims, used) = room(kept, wanted: wanted, limit: limit, playing: playing)
    return used &+ wanted <= limit ? victims : nil
  }

  /// Rows to throw out because all together take more than `limit`; what may not go stays, even so.
  static func overflow(_ kept: [KeepRow], limit: Int64, playing: Int64?) -> [Int64] {
    room(kept, wanted: 0, limit: limit, playing: playing).victims
  }

  private static func room(
    _ kept: [KeepRow], wanted: Int64, limit: Int64, playing: Int64?
  ) -> (victims: [Int64], used: Int64) {
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
    return (victims, used)
  }

  /// Name of a kept file: of the episode and its file, as the server names them, so that any store of this server finds it again and no two
  /// are alike.
  static func fileName(_ entry: String, _ enclosure: String, isCut: Bool, type: String?, url: String) -> String {
    "\(safe(entry))-\(safe(enclosure))\(isCut ? "-cut" : "").\(fileExtension(type: type, url: url))"
  }

  /// The names that an episode's files would have here, whole and cut.
  static func fileNames(_ entry: String, _ enclosures: [EnclosureRecord]) -> [String] {
    enclosures.filter(\.playable).flatMap { file in
      [false, true].map { fileName(entry, file.id, isCut: $0, type: file.type, url: file.url) }
    }
  }

  /// Whether it could be one of ours; foreign files lie here too.
  static func mayBeOurs(_ name: String) -> Bool {
    guard let dash = name.firstIndex(of: "-"), let dot = name[dash...].firstIndex(of: ".") else { return false }
    return dash > name.startIndex && name.index(after: dash) < dot
  }

  /// Length of the original divided by that of its cut, told by their sizes.
  static func ratio(whole: Int64, cut: Int64) -> Double { max(1, min(10, Double(whole) / Double(cut))) }

  /// What cannot stand in a name is replaced, and what is too long cut; then a sum of the whole keeps two apart.
  private static func safe(_ id: String) -> String {
    var safe = ""
    for scalar in id.unicodeScalars.prefix(32) {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_": safe.unicodeScalars.append(scalar)
      case "-" where !safe.isEmpty: safe += "-"
      default: safe += "_"
      }
    }
    if safe == id, !id.isEmpty { return id }
    let hash = id.stableHash
    return safe + "~" + String(hash, radix: 16)
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
    case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave": return "wav"
    default: return "audio"
    }
  }
}

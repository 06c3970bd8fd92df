/// Whether an enclosure is one to listen to. Types are often wrong, so the file's name has a word in it.
enum MediaKind {
  static func isSound(type: String?, url: String) -> Bool {
    let type = (type ?? "").lowercased()
    let name = fileExtension(url)
    if type.hasPrefix("audio/") { return true }
    if soundExtensions.contains(name) { return true }
    if type.hasPrefix("video/") || type.hasPrefix("image/") || videoExtensions.contains(name) { return false }
    if type.hasPrefix("text/") || documentTypes.contains(type) || documentExtensions.contains(name) { return false }
    // Nothing said against it: its bytes will tell.
    return true
  }

  private static let soundExtensions: Set = ["mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "mp2"]
  private static let videoExtensions: Set = [
    "mp4", "m4v", "mov", "mkv", "webm", "avi", "mpg", "mpeg", "ogv", "wmv", "flv", "3gp",
  ]
  private static let documentExtensions: Set = ["pdf", "epub", "jpg", "jpeg", "png", "gif", "html", "htm", "zip", "txt"]
  private static let documentTypes: Set = ["application/pdf", "application/epub+zip", "application/zip"]

  private static func fileExtension(_ url: String) -> String {
    let path = url.split(whereSeparator: { $0 == "?" || $0 == "#" }).first ?? ""
    guard let name = path.split(separator: "/").last, let dot = name.lastIndex(of: ".") else { return "" }
    return name[name.index(after: dot)...].lowercased()
  }
}

/// What a file is by its name's end: the type it is served as, nil for what is neither sound nor film nor picture.
enum MediaType {
  static func audio(_ name: String) -> String? {
    switch ending(name) {
    case "mp3": "audio/mpeg"
    case "m4a", "m4b", "aac": "audio/mp4"
    case "ogg", "oga": "audio/ogg"
    case "opus": "audio/ogg; codecs=opus"
    case "flac": "audio/flac"
    case "wav": "audio/wav"
    default: nil
    }
  }

  static func video(_ name: String) -> String? {
    switch ending(name) {
    case "mp4", "m4v": "video/mp4"
    case "mkv": "video/x-matroska"
    case "webm": "video/webm"
    case "mov": "video/quicktime"
    default: nil
    }
  }

  static func picture(_ name: String) -> String? {
    switch ending(name) {
    case "jpg", "jpeg": "image/jpeg"
    case "png": "image/png"
    default: nil
    }
  }

  /// The name without its ending.
  static func stem(_ name: String) -> Substring {
    name.lastIndex(of: ".").map { name[..<$0] } ?? Substring(name)
  }

  private static func ending(_ name: String) -> String {
    name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
  }
}

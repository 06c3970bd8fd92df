import FoundationEssentials

/// Files of words beside the audio: read whole, never longer than a megabyte.
enum SmallFile {
  static func json<Value: Decodable>(_ type: Value.Type, _ path: String) -> Value? {
    guard let file = OpenFile(path), file.size <= 1 << 20 else { return nil }
    return (try? Data(contentsOf: URL(fileURLWithPath: path))).flatMap { try? JSONDecoder().decode(type, from: $0) }
  }
}

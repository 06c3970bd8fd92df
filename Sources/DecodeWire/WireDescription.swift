/// What the helper found in the file, as one message's payload.
public struct WireDescription: Sendable, Equatable {
  public struct Chapter: Sendable, Equatable {
    public var start: Int64
    public var title: String

    public init(start: Int64, title: String) {
      self.start = start
      self.title = title
    }
  }

  /// µs; nil while unknown.
  public var length: Int64?
  public var isSeekable = false
  public var sampleRate = 0
  public var channels = 0
  /// "AAC", "FLAC", …
  public var format = ""
  public var chapters: [Chapter] = []
  /// Name and text, those only that `wants(tag:)`.
  public var tags: [(name: String, text: String)] = []

  public init() {}

  /// Tags worth sending on: what it is called and told of, loudness, Vorbis comments' chapters.
  public static func wants(tag name: String) -> Bool {
    let name = name.uppercased()
    return ["TITLE", "ALBUM", "ARTIST", "COMMENT", "DESCRIPTION", "ITUNNORM"].contains(name)
      || ["REPLAYGAIN_", "R128_", "CHAPTER"].contains { name.hasPrefix($0) }
  }

  public static func == (a: Self, b: Self) -> Bool { a.encoded() == b.encoded() }

  static let mostChapters = 1000
  /// A Vorbis chapter is two.
  static let mostTags = 2 * mostChapters + 100
  static let longestText = 4096

  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    Self.add(length ?? -1, &bytes)
    Self.add(isSeekable ? 1 : 0, &bytes)
    Self.add(Int64(sampleRate), &bytes)
    Self.add(Int64(channels), &bytes)
    Self.add(format, &bytes)
    Self.add(Int64(min(chapters.count, Self.mostChapters)), &bytes)
    for chapter in chapters.prefix(Self.mostChapters) {
      Self.add(chapter.start, &bytes)
      Self.add(chapter.title, &bytes)
    }
    Self.add(Int64(min(tags.count, Self.mostTags)), &bytes)
    for tag in tags.prefix(Self.mostTags) {
      Self.add(tag.name, &bytes)
      Self.add(tag.text, &bytes)
    }
    return bytes
  }

  /// Nil: cut short, or with numbers that cannot be.
  public init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let length = reader.number(), let isSeekable = reader.number(), let rate = reader.number(),
      let channels = reader.number(),
      let format = reader.text(), (1...768_000).contains(rate), (1...8).contains(channels)
    else { return nil }
    self.length = length >= 0 ? length : nil
    self.isSeekable = isSeekable == 1
    sampleRate = Int(rate)
    self.channels = Int(channels)
    self.format = format
    guard let chapterCount = reader.number(), (0...Int64(Self.mostChapters)).contains(chapterCount) else { return nil }
    for _ in 0..<chapterCount {
      guard let start = reader.number(), let title = reader.text() else { return nil }
      chapters.append(Chapter(start: max(0, start), title: title))
    }
    guard let tagCount = reader.number(), (0...Int64(Self.mostTags)).contains(tagCount) else { return nil }
    for _ in 0..<tagCount {
      guard let name = reader.text(), let text = reader.text() else { return nil }
      tags.append((name, text))
    }
  }

  private static func add(_ number: Int64, _ bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  private static func add(_ text: String, _ bytes: inout [UInt8]) {
    let cut = text.utf8.prefix(longestText)
    add(Int64(cut.count), &bytes)
    bytes += cut
  }

  private struct Reader {
    var bytes: [UInt8]
    var place = 0

    mutating func number() -> Int64? {
      guard bytes.count - place >= 8 else { return nil }
      defer { place += 8 }
      return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: Int64.self)) }
    }

    mutating func text() -> String? {
      guard let count = number(), count >= 0, count <= WireDescription.longestText, Int(count) <= bytes.count - place else {
        return nil
      }
      defer { place += Int(count) }
      return String(decoding: bytes[place..<place + Int(count)], as: UTF8.self)
    }
  }
}

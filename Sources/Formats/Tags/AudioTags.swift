import Glibc
import Reactor

/// What a file says of itself, from whichever tags it has.
public struct AudioTags: Sendable, Equatable {
  public struct Chapter: Sendable, Equatable {
    public var start: MediaTime
    public var title: String

    public init(start: MediaTime, title: String) {
      self.start = start
      self.title = title
    }
  }

  public var title: String?
  public var artist: String?
  public var album: String?
  public var genre: String?
  public var comment: String?
  /// As it stands there: a year, or ISO 8601 from the year on.
  public var date: String?
  public var track: Int?
  /// In order of their starts.
  public var chapters: [Chapter] = []
  /// dB to add to reach -18 LUFS (ReplayGain 2.0's reference), and the highest sample (1.0 full scale).
  public var gain: Double?
  public var peak: Double?

  public init() {}

  /// Takes up what is missing here.
  public mutating func merge(_ other: AudioTags) {
    title = title ?? other.title
    artist = artist ?? other.artist
    album = album ?? other.album
    genre = genre ?? other.genre
    comment = comment ?? other.comment
    date = date ?? other.date
    track = track ?? other.track
    if chapters.isEmpty { chapters = other.chapters }
    if gain == nil {
      gain = other.gain
      peak = other.peak
    }
  }

  /// A pair of a name and a text, as APEv2, Vorbis comments, MP4 and ID3's TXXX have them. Names are told apart without case.
  public mutating func add(_ name: String, _ text: String) {
    guard let text = ID3Text.clean(text) else { return }
    switch name.uppercased() {
    case "TITLE": title = title ?? text
    case "ARTIST": artist = artist ?? text
    case "ALBUM": album = album ?? text
    case "GENRE": genre = genre ?? text
    case "DATE", "YEAR": date = date ?? text
    case "DESCRIPTION", "COMMENT": comment = comment ?? text
    case "TRACK", "TRACKNUMBER": track = track ?? Self.number(text)
    case "REPLAYGAIN_TRACK_GAIN": gain = Self.decibels(text) ?? gain
    case "REPLAYGAIN_TRACK_PEAK": peak = Double(text.prefix { !$0.isWhitespace }).flatMap(Self.sane(peak:)) ?? peak
    case "R128_TRACK_GAIN":
      // Q7.8 to reach -23 LUFS (RFC 7845, 5.2.1).
      if gain == nil, let number = Int16(text) { gain = Double(number) / 256 + 5 }
    case "ITUNNORM": if gain == nil { gain = Self.soundCheck(text) }
    default: addVorbisChapter(name.uppercased(), text)
    }
  }

  /// "12/34" is 12.
  static func number(_ text: String) -> Int? { Int(text.prefix { $0.isASCII && $0.isNumber }) }

  /// "-6.48 dB"
  static func decibels(_ text: String) -> Double? {
    let number = text.prefix { $0.isNumber || "+-.".contains($0) }
    guard let value = Double(number), abs(value) <= 60 else { return nil }
    return value
  }

  private static func sane(peak: Double) -> Double? { peak > 0 && peak < 100 ? peak : nil }

  /// Sound Check: ten hexadecimal numbers, the first two being the channels' gains in thousandths, as power. The louder channel counts.
  static func soundCheck(_ text: String) -> Double? {
    let numbers = text.split(separator: " ").map { UInt32($0, radix: 16) }
    guard numbers.count >= 2, let left = numbers[0], let right = numbers[1], max(left, right) > 0 else { return nil }
    let gain = -10 * log10(Double(max(left, right)) / 1000)
    return abs(gain) <= 60 ? gain : nil
  }

  /// CHAPTER001=00:01:02.500 and CHAPTER001NAME=…, the Vorbis comment habit.
  private mutating func addVorbisChapter(_ name: String, _ text: String) {
    guard name.hasPrefix("CHAPTER"), chapters.count < 1000 else { return }
    let rest = name.dropFirst(7)
    if rest.hasSuffix("NAME"), let number = Int(rest.dropLast(4)), let index = numbers.firstIndex(of: number) {
      chapters[index].title = text
    } else if let number = Int(rest), let start = Self.clockTime(text) {
      numbers.append(number)
      chapters.append(Chapter(start: start, title: ""))
    }
  }

  /// Of `chapters`, while Vorbis comments are read.
  private var numbers: [Int] = []

  static func clockTime(_ text: String) -> MediaTime? {
    let parts = text.split(separator: ":").map { Double($0) }
    guard parts.count == 3, let hours = parts[0], let minutes = parts[1], let seconds = parts[2],
      hours >= 0, minutes >= 0, seconds >= 0
    else { return nil }
    return MediaTime(seconds: hours * 3600 + minutes * 60 + seconds)
  }

  /// Chapters in order, with a name each.
  public mutating func finish() {
    chapters.sort { $0.start < $1.start }
    numbers = []
    for index in chapters.indices where chapters[index].title.isEmpty { chapters[index].title = "Chapter \(index + 1)" }
  }
}

import Formats
import Media
import Reactor

/// What `Player` asks of the sound machinery: one item sounding, at most one prepared to follow it without a gap.
/// The one real implementation is `AudioEngine`; `Player`'s tests have a double.
public protocol Playback: Sendable {
  /// Everything that happens, in order. One listener.
  var events: AsyncStream<PlaybackEvent> { get }

  /// Replaces whatever sounds. With `playing` false it is prepared and paused: decoded to its first sample, silent.
  func load(_ item: PlaybackItem, at place: MediaTime, playing: Bool) async
  /// What follows the current item at its decoded end, in the same sink input, without a gap. Nil: nothing follows.
  func prepareNext(_ item: PlaybackItem?) async
  func play() async
  /// Silence within 10 ms; the buffer is kept.
  func pause() async
  /// Lands on the sample where the file's index is known; `.moved` then tells where it truly landed.
  func seek(to place: MediaTime) async
  /// Drops the item, the stream and the connection's buffers.
  func unload() async
  /// 0.5 … 3.0, pitch kept.
  func setRate(_ rate: Double) async
  /// Of the sink input: 0.0 … ; 1.0 is PulseAudio's 100 %. `duck` is an extra factor for fades (1: none) that listeners never see.
  func setVolume(_ volume: Double) async
  func setFade(_ factor: Double) async
  /// Where the ear is now, from the sound server's own clock.
  func position() async -> MediaTime
  /// Sound decoded or held in bytes ahead of the ear.
  func buffered() async -> MediaTime
  func outputs() async -> [AudioOutput]
  /// In order of preference, by name, description or id; empty: the server's default. After the word `nothing` no other is taken.
  func setOutput(preferring names: [String]) async
  func setProcessing(_ processing: AudioProcessing) async
  func close() async
}

/// One thing to play. `token` names it in events; two loads of the same episode differ.
public struct PlaybackItem: Sendable {
  public var token: UInt64
  public var source: any ByteSource
  /// From the feed or an earlier decode; a hint until the file itself says.
  public var expectedLength: MediaTime?
  /// The MIME type the server names; the bytes decide.
  public var typeHint: String?
  public var title: String
  public var startAt: MediaTime
  /// Measured; counts more than what the file's tags say.
  public var loudness: ReplayGainTags?
  /// Silences may be shortened, where that is set: the server offers no cut of its own.
  public var mayTrim: Bool
  /// What was learnt of this file before.
  public var index: SeekIndex?

  public init(
    token: UInt64, source: any ByteSource, expectedLength: MediaTime? = nil, typeHint: String? = nil, title: String = "",
    startAt: MediaTime = .zero, loudness: ReplayGainTags? = nil, mayTrim: Bool = true,
    index: SeekIndex? = nil
  ) {
    self.token = token
    self.source = source
    self.expectedLength = expectedLength
    self.typeHint = typeHint
    self.title = title
    self.startAt = startAt
    self.loudness = loudness
    self.mayTrim = mayTrim
    self.index = index
  }
}

public enum PlaybackEvent: Sendable {
  /// First sound of `token` reached (or, paused, is ready for) the sink at `place`. Also sent when the prepared next took over.
  case started(token: UInt64, place: MediaTime)
  /// A seek or a rate change took effect, or the position had to be corrected: the ear is at `place`.
  case moved(token: UInt64, place: MediaTime)
  /// The sound server says of what was started or moved that the ear is at `place` at `time` (of the timekeeper's clock) and moves
  /// on from then: later than now where the sink still gives out silence that it had rendered ahead.
  case sounding(token: UInt64, place: MediaTime, time: Duration)
  /// What the file says of itself, once known and at each change.
  case described(token: UInt64, MediaDescription)
  /// Where its frames lie, as far as that was learnt: worth keeping for the next time.
  case indexed(token: UInt64, SeekIndex)
  /// The ear ran out of sound (with a sentence why, from `ByteSourceError` where one came) …
  case stalled(token: UInt64, ByteSourceError?)
  /// … and sound is there again.
  case resumed(token: UInt64)
  /// The last sample of the decoded end was heard. `next` tells whether the prepared item goes on already.
  case ended(token: UInt64, place: MediaTime, next: UInt64?)
  /// This item can never sound (again): not audio, not decodable, gone, signed out.
  case failed(token: UInt64, AudioError)
  /// Someone else changed the sink input's volume.
  case volume(Double)
  /// Someone muted the sink input or its sink, or took that back.
  case muted(Bool)
  /// The sink in use vanished. The engine has corked already: nothing sounds on the fallback sink.
  case sinkVanished
  /// Sound was wanted, but of the preferred outputs none is there and `nothing` else is to sound: silent, with a sentence. Nil: one came.
  case outputMissing(String?)
  /// The server asks to be quiet (a phone call) or takes it back.
  case corkRequested(Bool)
  /// The sound server went away (with why) or is back. The engine reconnects by itself and goes on if it was playing.
  case serverLost(String)
  case serverBack
  case outputsChanged([AudioOutput])
}

/// What the file itself says.
public struct MediaDescription: Sendable, Equatable {
  /// Exact where the format knows; nil while unknown.
  public var length: MediaTime?
  /// What its header tells, where less than `share` of that is there (cut off, or a header that lies); nil where both agree.
  public var claimed: MediaTime?
  /// Where `length` is unknown: about how long it is, by how much sound the bytes so far have given.
  public var estimate: LengthEstimate?
  /// Of the whole file, where that is known.
  public var bytes: Int64?
  /// Places can be gone to; …
  public var isSeekable: Bool
  /// … but the server gives the file from its beginning on only: what lies before a place has to come first.
  public var comesInOrder = false
  /// Sniffed: "MP3", "Opus", "Vorbis", "AAC", …
  public var format: String
  public var sampleRate: Int
  public var channels: Int
  public var title: String?
  /// The album, or who made it.
  public var show: String?
  public var notes: String?
  public var chapters: [MediaChapter]

  public init(
    length: MediaTime? = nil, isSeekable: Bool = false, format: String = "", sampleRate: Int = 0, channels: Int = 0,
    title: String? = nil, chapters: [MediaChapter] = []
  ) {
    self.length = length
    self.isSeekable = isSeekable
    self.format = format
    self.sampleRate = sampleRate
    self.channels = channels
    self.title = title
    self.chapters = chapters
  }

  init(length: MediaTime? = nil, isSeekable: Bool, format: String, sampleRate: Int, channels: Int, tags: AudioTags) {
    self.init(
      length: length, isSeekable: isSeekable, format: format, sampleRate: sampleRate, channels: channels, title: tags.title,
      chapters: tags.chapters.map { MediaChapter(start: $0.start, title: $0.title) })
    show = tags.album ?? tags.artist
    notes = tags.comment
  }

  /// A header is right about so much of what it tells, or more.
  public static let share = 0.95

  /// Takes `told` for the header's word, if `length` is a good part less.
  mutating func compare(with told: MediaTime?) {
    guard let told, let length, length.seconds < told.seconds * Self.share else {
      claimed = nil
      return
    }
    claimed = told
  }
}

/// A length reckoned from a part.
public struct LengthEstimate: Sendable, Equatable {
  public var length: MediaTime
  /// The part that it rests on.
  public var basis: MediaTime

  public init(length: MediaTime, basis: MediaTime) {
    self.length = length
    self.basis = basis
  }

  /// Less sound says nothing of the rest.
  static let least = MediaTime.seconds(10)

  /// By the place where `reached` of `bytes` were read; nil where that is too near the beginning.
  init?(place: MediaTime, reached: Int64, bytes: Int64?) {
    guard let bytes, reached > 0, place >= Self.least else { return nil }
    self.init(length: MediaTime(seconds: place.seconds * Double(max(bytes, reached)) / Double(reached)), basis: place)
  }

  /// Nothing new against `other`: about the same, of not twice the sound.
  func isNoNews(after other: LengthEstimate) -> Bool {
    abs(length.seconds - other.length.seconds) < other.length.seconds / 10 && basis.seconds < other.basis.seconds * 2
      && basis >= other.basis
  }
}

public struct MediaChapter: Sendable, Equatable {
  public var start: MediaTime
  public var title: String

  public init(start: MediaTime, title: String) {
    self.start = start
    self.title = title
  }
}

public struct AudioOutput: Sendable, Equatable {
  public var id: String
  public var title: String
  public var isBluetooth: Bool
  public var isCurrent: Bool

  public init(id: String, title: String, isBluetooth: Bool, isCurrent: Bool) {
    self.id = id
    self.title = title
    self.isBluetooth = isBluetooth
    self.isCurrent = isCurrent
  }
}

/// Settings that change the samples.
public struct AudioProcessing: Sendable, Equatable {
  /// Even loudness from tags or measurement.
  public var loudness = false
  public var trimSilence = false
  /// Silence before the first sound on a sink that was idle.
  public var pad = MediaTime.zero
  /// How much to hold ahead.
  public var bufferAhead = MediaTime.seconds(60)

  public init() {}
}

/// Why something cannot sound; `description` is a sentence for a person.
public struct AudioError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable, Equatable {
    case notAudio
    case unsupported
    case damaged
    case gone
    case signedOut
    case offline
    case noSoundServer
    case helperDied
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension AudioError {
  /// What a decoder's fault means to a listener.
  init(_ error: DecoderError) {
    let code: Code =
      switch error.code {
      case .interrupted: .gone
      case .source(let code): Self.code(for: code)
      case .notAudio: .notAudio
      case .unsupported: .unsupported
      case .damaged: .damaged
      case .helperDied: .helperDied
      }
    self.init(code, error.description)
  }

  private static func code(for code: ByteSourceError.Code) -> Code {
    switch code {
    case .signedOut: .signedOut
    case .notMedia: .notAudio
    case .offline: .offline
    case .changed: .damaged
    case .interrupted, .closed, .gone, .unreadable: .gone
    }
  }
}

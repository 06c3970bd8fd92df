import Audio
import Library
import Reactor

/// Everything a face shows of the player, as one value. Faces keep the last one and compare.
public struct PlayerSnapshot: Sendable, Equatable {
  public enum State: String, Sendable { case stopped, loading, playing, paused, stalled }
  /// MPRIS's three words. Loading and stalled count as playing for 3 s.
  public enum Status: String, Sendable {
    case playing = "Playing"
    case paused = "Paused"
    case stopped = "Stopped"
  }

  public var state: State = .stopped
  public var status: Status = .stopped
  public var now: NowPlaying?
  /// Where the ear is: extrapolate from this, do not poll.
  public var anchor = PositionAnchor()
  public var rate = 1.0
  public var volume = 1.0
  public var loop = LoopMode.none
  public var shuffle = false
  /// The queue: index 0 is what plays now (when `now` is set).
  public var queue: [QueueEntry] = []
  /// What played before, oldest first: at most the last 20. With `queue` it is the TrackList's window.
  public var history: [QueueEntry] = []
  public var desktop = TransportAbilities()
  public var car = TransportAbilities()
  public var sleep = SleepMode.off
  /// What the listener must know; empty when all is well.
  public var problem = ""
  /// Index into `now.chapters`, or nil.
  public var chapter: Int?
  public var output = ""
  public var deadAir = false

  public init() {}
}

/// The loaded episode, ours or a foreign file.
public struct NowPlaying: Sendable, Equatable {
  public var entry: QueueEntry
  public var title: String
  public var show: String
  /// Show notes as plain text.
  public var notes: String?
  public var link: String?
  public var published: WallTime?
  /// The address of a foreign file; empty for the server's own.
  public var length: MediaTime?
  public var isSeekable: Bool
  public var artPath: String?
  public var chapters: [MediaChapter]
  public var useCount: Int

  public init(
    entry: QueueEntry, title: String, show: String, notes: String? = nil, link: String? = nil, published: WallTime? = nil,
    length: MediaTime? = nil, isSeekable: Bool = false, artPath: String? = nil, chapters: [MediaChapter] = [], useCount: Int = 0
  ) {
    self.entry = entry
    self.title = title
    self.show = show
    self.notes = notes
    self.link = link
    self.published = published
    self.length = length
    self.isSeekable = isSeekable
    self.artPath = artPath
    self.chapters = chapters
    self.useCount = useCount
  }
}

/// One place in the queue. The same episode twice is two entries. `number` is unique over the life of the store.
public struct QueueEntry: Sendable, Hashable, Codable {
  public enum Content: Sendable, Hashable, Codable {
    case episode(ItemID)
    /// An `http(s)` or `file` URL that is not of our server.
    case foreign(url: String)
  }

  public var number: UInt64
  public var content: Content
  /// For lists; the loaded episode's own is in `NowPlaying`.
  public var title: String
  public var show: String
  public var length: MediaTime?

  public init(number: UInt64, content: Content, title: String, show: String, length: MediaTime? = nil) {
    self.number = number
    self.content = content
    self.title = title
    self.show = show
    self.length = length
  }
}

public struct PositionAnchor: Sendable, Equatable {
  public var place: MediaTime = .zero
  /// `Timekeeper.now` when `place` was true.
  public var moment: Duration = .zero
  /// Media seconds a second: 0 while nothing sounds.
  public var speed = 0.0

  public init(place: MediaTime = .zero, moment: Duration = .zero, speed: Double = 0) {
    self.place = place
    self.moment = moment
    self.speed = speed
  }

  /// Before `moment` it is `place` already: there a sound is waited for.
  public func place(at now: Duration, length: MediaTime?) -> MediaTime {
    let moved = place + MediaTime(seconds: max(.zero, now - moment).inSeconds * speed)
    return moved.clamped(to: .zero...max(.zero, length ?? MediaTime(microseconds: .max)))
  }
}

public enum LoopMode: String, Sendable, Codable {
  case none = "None"
  case track = "Track"
  case playlist = "Playlist"
}

/// What the transport commands can do now, for one kind of face (`next` and `car.next` may differ).
public struct TransportAbilities: Sendable, Equatable {
  public var canGoNext = false
  public var canGoPrevious = false
  public var canPlay = false
  public var canPause = false
  public var canSeek = false

  public init() {}
}

public enum SleepMode: Sendable, Equatable {
  case off
  /// Playing time left when `moment` was now; it counts down only while sound is heard.
  case time(left: MediaTime, at: Duration)
  case chapter
  case episode
}

public enum PlayerEvent: Sendable {
  case changed(PlayerSnapshot)
  /// The place jumped (MPRIS Seeked); sent after the `changed` that belongs to it.
  case seeked(MediaTime)
}

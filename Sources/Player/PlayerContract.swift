import Audio
import Library
import Reactor

/// What the faces ask of the player. The one real implementation is the actor `Player`.
/// Commands answer at once: they never wait for network, disk or decoder; but for `open` and `add` with `setAsCurrent`, which look first at
/// what they are to play, and hold up no other command meanwhile.
public protocol PlayerService: Sendable {
  var snapshot: PlayerSnapshot { get async }
  func events() async -> AsyncStream<PlayerEvent>

  func play() async throws(LibraryError)
  func pause() async
  func playPause() async throws(LibraryError)
  func stop() async
  func next(from face: FaceKind) async
  func previous(from face: FaceKind) async
  func seek(by offset: MediaTime) async
  /// MPRIS SetPosition: ignored when `entry` is not the loaded one or `place` is out of range.
  func setPosition(entry: UInt64, _ place: MediaTime) async

  /// `within` is the list it was picked from, or nil; what follows there becomes the queue.
  func play(_ id: ItemID, within: ItemID?) async throws(LibraryError)
  /// What plays goes on until this is known to be sound.
  /// - Throws: why it cannot be played (now); `.invalid` where something else was chosen, or paused, meanwhile.
  func open(url: String) async throws(LibraryError)
  func enqueue(_ id: ItemID, _ place: QueuePlace) async throws(LibraryError)
  /// TrackList.AddTrack: a foreign URL (or an episode's own) behind `after` (nil: at the start of what is shown, before what was
  /// played; the one that is to play at once then follows what plays, and none of that comes again).
  func add(url: String, after: UInt64?, setAsCurrent: Bool) async throws(LibraryError)
  func remove(entry: UInt64) async throws(LibraryError)
  func remove(index: Int) async throws(LibraryError)
  func move(from: Int, to: Int) async throws(LibraryError)
  func clearQueue() async
  func go(to entry: UInt64) async throws(LibraryError)

  func setRate(_ rate: Double) async
  func setVolume(_ volume: Double) async
  func setLoop(_ mode: LoopMode) async
  func setShuffle(_ on: Bool) async
  func setSleep(_ mode: SleepRequest) async throws(LibraryError)
  func goToChapter(_ index: Int) async throws(LibraryError)
  func setDeadAir(_ on: Bool) async
  func outputs() async -> [AudioOutput]
  func setOutput(_ id: String) async throws(LibraryError)
  /// Sound held ahead of the ear.
  func buffered() async -> MediaTime
  /// Writes the place down now: the machine is about to sleep.
  func savePlace() async
  /// Place saved, `stopped` announced, sound released. Returns within 2 s.
  func shutDown() async
  /// The volume is kept, but somebody behind us (the car's amplifier) does it: the samples stay as loud as they are.
  func setVolumeElsewhere(_ on: Bool) async
}

extension PlayerService {
  public func setVolumeElsewhere(_ on: Bool) async {}
}

public enum FaceKind: Sendable { case desktop, car }
public enum QueuePlace: Sendable { case next, last }
public enum SleepRequest: Sendable, Equatable {
  case off
  case time(MediaTime)
  case chapter
  case episode
}

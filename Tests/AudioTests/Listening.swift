import Glibc
import Media
import Reactor
import Synchronization
import TestKit
import Testing

@testable import Audio

/// An engine on a sound server of its own, its events kept, and an ear at its sink.
final class Listening: Sendable {
  let sound: PrivateSound
  let engine: AudioEngine
  private let state = Mutex<(events: [PlaybackEvent], waiters: [Int: Waiter], next: Int)>(([], [:], 0))

  private struct Waiter {
    var isDone: @Sendable ([PlaybackEvent]) -> Bool
    var continuation: CheckedContinuation<Void, any Error>
    var alarm: any Alarm
  }

  struct TimedOut: Error, CustomStringConvertible {
    var description: String
  }

  /// Few at a time: what is measured is our sound's timing, not how a crowd of sound servers shares two cores.
  private let turn: Turns.Turn

  init(
    _ kind: PrivateSound.Kind = .pulseAudio, sinks: [String] = ["main"], started: Bool = true,
    open: @escaping DecodeThread.Opener = RawDecoder.open
  ) async throws {
    turn = await Turns.sound.take()
    sound = try await PrivateSound(kind, sinks: sinks, started: started)
    engine = AudioEngine(server: sound.server, timekeeper: SystemTimekeeper(), open: open)
    let events = engine.events
    Task { [weak self] in
      for await event in events { self?.take(event) }
    }
  }

  /// Plays `first`, with `second` prepared before the last of `first` is there: what is read to its end has silence behind it until
  /// something follows, and a busy machine is late with that.
  func play(_ first: PlaybackItem, then second: PlaybackItem) async throws {
    let source = try #require(first.source as? RawSource)
    source.allow((source.length ?? 0) - 4)
    await engine.load(first, at: .zero, playing: true)
    await engine.prepareNext(second)
    source.allow(.max)
  }

  func end() async {
    await engine.close()
    await sound.stop()
  }

  var events: [PlaybackEvent] { state.withLock { $0.events } }

  /// Waits until what happened so far satisfies `isDone`.
  func wait(
    _ what: String, within limit: Duration = .seconds(20), until isDone: @escaping @Sendable ([PlaybackEvent]) -> Bool
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let done = state.withLock { state in
        if isDone(state.events) { return true }
        let key = state.next
        state.next += 1
        let alarm = SystemTimekeeper().alarm(after: limit, leeway: .milliseconds(50), on: .callbacks) { [weak self] in
          let waiter = self?.state.withLock { $0.waiters.removeValue(forKey: key) }
          let had = self?.events.map { "\($0)".prefix(100) }.joined(separator: "\n") ?? ""
          waiter?.continuation.resume(throwing: TimedOut(description: "Waited in vain for \(what). Had:\n\(had)"))
        }
        state.waiters[key] = Waiter(isDone: isDone, continuation: continuation, alarm: alarm)
        return false
      }
      if done { continuation.resume() }
    }
  }

  /// The number of our sink input, once the stream stands: on a busy machine one that was slow to come may have been replaced before.
  func input() async throws -> String {
    try await wait("the stream") { $0.contains { $0.newVolume != nil } }
    return try await sound.sinkInput()
  }

  func waitForStart(of token: UInt64) async throws {
    try await wait("the start of \(token)") { $0.contains { $0.startedToken == token } }
  }

  private func take(_ event: PlaybackEvent) {
    let done = state.withLock { state -> [Waiter] in
      state.events.append(event)
      let ready = state.waiters.filter { $0.value.isDone(state.events) }
      for key in ready.keys { state.waiters[key] = nil }
      return Array(ready.values)
    }
    for waiter in done {
      waiter.alarm.cancel()
      waiter.continuation.resume()
    }
  }
}

extension PlaybackItem {
  /// Counting frames of 44.1 kHz.
  static func counting(_ token: UInt64, seconds: Double) -> PlaybackItem {
    let source = RawSource.counting(tag: Int(token), frames: Int(seconds * 44_100))
    return PlaybackItem(token: token, source: source, typeHint: "raw;44100;2", title: "item \(token)")
  }

  static func tone(_ token: UInt64, _ frequency: Double, rate: Int, seconds: Double, channels: Int = 2) -> PlaybackItem {
    let source = RawSource.tone(frequency, rate: rate, frames: Int(seconds * Double(rate)), channels: channels)
    return PlaybackItem(token: token, source: source, typeHint: "raw;\(rate);\(channels)", title: "tone \(token)")
  }
}

extension PlaybackEvent {
  var startedToken: UInt64? { if case .started(let token, _) = self { token } else { nil } }
  var startedPlace: MediaTime? { if case .started(_, let place) = self { place } else { nil } }
  var movedPlace: MediaTime? { if case .moved(_, let place) = self { place } else { nil } }
  var sounding: (token: UInt64, place: MediaTime, time: Duration)? {
    if case .sounding(let token, let place, let time) = self { (token, place, time) } else { nil }
  }
  var endedToken: UInt64? { if case .ended(let token, _, _) = self { token } else { nil } }
  var isSinkVanished: Bool { if case .sinkVanished = self { true } else { false } }
  var isServerLost: Bool { if case .serverLost = self { true } else { false } }
  var isServerBack: Bool { if case .serverBack = self { true } else { false } }
  var isStalled: Bool { if case .stalled = self { true } else { false } }
  var isResumed: Bool { if case .resumed = self { true } else { false } }
  var failure: AudioError? { if case .failed(_, let error) = self { error } else { nil } }
  var newVolume: Double? { if case .volume(let volume) = self { volume } else { nil } }
  var newMute: Bool? { if case .muted(let isMuted) = self { isMuted } else { nil } }
  var corkRequest: Bool? { if case .corkRequested(let corked) = self { corked } else { nil } }
}

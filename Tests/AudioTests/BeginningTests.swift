import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// PulseAudio takes back what a sink has rendered ahead, and what of it was ours and not heard yet is lost, where a stream that lacks
/// frames is given them in dribs and drabs.
@Suite("How a stream begins, and begins again")
struct BeginningTests {
  @Test("a start and a seek swallow nothing: no place is ahead of the time that has passed", arguments: [true, false])
  func nothingSwallowed(seeks: Bool) async throws {
    // Nobody listens: an ear with a latency of its own would keep the sink from rendering ahead.
    let listening = try await Listening()
    let clock = SystemTimekeeper()
    var random = SplitMix64(seed: 7)
    await listening.engine.load(.counting(1, seconds: 600), at: .zero, playing: true)
    try await listening.waitForStart(of: 1)
    for round in 2...25 {
      let place = MediaTime(seconds: Double.random(in: 0..<500, using: &random))
      let began = clock.now()
      if seeks {
        await listening.engine.seek(to: place)
        try await listening.wait("the move") { $0.filter { $0.movedPlace != nil }.count >= round - 1 }
      } else {
        await listening.engine.load(.counting(UInt64(round), seconds: 600), at: place, playing: true)
        try await listening.waitForStart(of: UInt64(round))
      }
      // The ear goes on while it is looked at: this long it took for a minute to be swallowed.
      try await clock.sleep(for: .milliseconds(100), leeway: .zero)
      let heard = await listening.engine.position().seconds - place.seconds
      #expect((-0.05...(clock.now() - began).inSeconds + 0.1).contains(heard), "round \(round): \(heard) s heard")
    }
    await listening.end()
  }

  @Test("a sink that rendered silence ahead gives that out first: Position waits for the sound, and never steps back")
  func silenceAhead() async throws {
    let listening = try await Listening()
    let clock = SystemTimekeeper()
    for round in 1...6 {
      // Without a stream the sink renders two seconds ahead.
      await listening.engine.unload()
      try await clock.sleep(for: .milliseconds(100 + round * 60), leeway: .zero)
      await listening.engine.load(.counting(UInt64(round), seconds: 60), at: .seconds(20), playing: true)
      try await listening.waitForStart(of: UInt64(round))
      var last = MediaTime.seconds(20)
      for look in 0..<60 {
        if look == 20 { await listening.engine.pause() }
        if look == 25 { await listening.engine.play() }
        let place = await listening.engine.position()
        #expect(place.seconds > last.seconds - 0.025, "round \(round), look \(look): \(last.seconds) → \(place.seconds)")
        last = place
        try await clock.sleep(for: .milliseconds(20), leeway: .zero)
      }
      #expect(last.seconds > 20.1)
    }
    await listening.end()
  }

  @Test("when the sound is there is told for a start and a seek, and Position keeps step with that")
  func toldWhenSounding() async throws {
    let listening = try await Listening()
    let clock = SystemTimekeeper()
    for round in 1...4 {
      func tellings() -> [(token: UInt64, place: MediaTime, time: Duration)] {
        listening.events.compactMap(\.sounding).filter { $0.token == UInt64(round) }
      }
      await listening.engine.unload()
      try await clock.sleep(for: .milliseconds(100 + round * 60), leeway: .zero)
      await listening.engine.load(.counting(UInt64(round), seconds: 60), at: .seconds(20), playing: true)
      for beginning in 1...2 {
        let before = tellings().count
        if beginning == 2 { await listening.engine.seek(to: .seconds(40)) }
        try await listening.wait("the word that it sounds") { events in
          events.count { $0.sounding?.token == UInt64(round) } > before
        }
        if let told = tellings().last { #expect(abs(told.place.seconds - (beginning == 1 ? 20 : 40)) < 0.1) }
        for _ in 0..<10 {
          try await clock.sleep(for: .milliseconds(30), leeway: .zero)
          // The server's first word, before the device's buffer is full, may be followed by a better one.
          let begun = try #require(tellings().count == before ? nil : tellings().last)
          let expected = begun.place.seconds + max(0, (clock.now() - begun.time).inSeconds)
          let place = await listening.engine.position().seconds
          #expect(abs(place - expected) < 0.1, "round \(round), beginning \(beginning): \(place), \(expected) expected")
        }
      }
    }
    await listening.end()
  }

  @Test("a line too thin for the sound: droughts lose no frame and repeat none")
  func droughts() async throws {
    let listening = try await Listening()
    // As far behind as the sink may render ahead.
    let ear = try await listening.sound.record(latencyMilliseconds: 2000)
    let source = RawSource.counting(tag: 1, frames: 60 * 44_100)
    source.thin(bytesPerSecond: 0.8 * 44_100 * 4, atATime: 1200 * 4)
    await listening.engine.load(
      PlaybackItem(token: 1, source: source, typeHint: "raw;44100;2"), at: .zero, playing: true)
    try await ear.wait("a quarter of a minute", within: .seconds(40)) { HeardFrames($0).total > 12 * 44_100 }
    let runs = HeardFrames(ear.samples()).runs
    #expect((runs.first?.first ?? .max) < startSlack)
    for (run, next) in zip(runs, runs.dropFirst()) { #expect(next.first == run.end, "\(run), then \(next)") }
    // It did run dry.
    #expect(runs.count > 2)
    await listening.end()
  }
}

import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("A sound server that comes and goes")
struct SoundServerTests {
  @Test("rule 71: the sound server killed and restarted: sound again within 3 s, nothing lost")
  func serverRestarted() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 120), at: .seconds(10), playing: true)
    try await ear.waitForSound(frames: 22_050)
    await listening.sound.kill()
    let last = try #require(HeardFrames(ear.samples()).runs.last)
    try await listening.wait("the loss") { $0.contains { $0.isServerLost } }
    let kept = Int(await listening.engine.position().seconds * 44_100)
    // The recorder died with the server, and had not everything that was heard; on a busy machine it is a second behind.
    #expect(kept > last.end - startSlack && kept < last.end + 2 * 44_100, "\(last), kept \(kept)")
    try await listening.sound.start()
    let clock = SystemTimekeeper()
    let before = clock.now()
    let second = try await listening.sound.record()
    try await listening.wait("the return") { $0.contains { $0.isServerBack } }
    try await second.waitForSound(frames: 4410, within: .seconds(3))
    let waited = clock.now() - before
    #expect(waited < .seconds(3))
    let first = try #require(HeardFrames(second.samples()).runs.first)
    // The recorder may have come later than the sound: by as much as was waited at most.
    #expect(first.first >= kept - startSlack, "kept \(kept), then \(first)")
    #expect(first.first < kept + startSlack + Int(waited / .seconds(1) * 44_100), "kept \(kept), then \(first)")
    await listening.end()
  }

  @Test("no sound server at start is said, and sound begins when one comes")
  func serverComesLater() async throws {
    let listening = try await Listening(started: false)
    await listening.engine.load(.counting(1, seconds: 60), at: .seconds(7), playing: true)
    try await listening.wait("the loss") { $0.contains { $0.isServerLost } }
    #expect(await listening.engine.position() == .seconds(7))
    let clock = SystemTimekeeper()
    let began = clock.now()
    try await listening.sound.start()
    let ear = try await listening.sound.record()
    try await ear.waitForSound(frames: 4410)
    #expect(listening.events.filter { $0.isServerLost }.count == 1)
    #expect(listening.events.filter { $0.isServerBack }.count == 1)
    let first = try #require(HeardFrames(ear.samples()).runs.first)
    // The recorder came later than the sound, by no more than has passed since.
    let passed = (clock.now() - began).inSeconds
    #expect((7..<(7.1 + passed)).contains(Double(first.first) / 44_100), "\(first), after \(passed) s")
    await listening.end()
  }

  @Test("a sound server that goes while paused is found again by Play, at the same place")
  func serverRestartedWhilePaused() async throws {
    let listening = try await Listening()
    await listening.engine.load(.counting(1, seconds: 60), at: .seconds(20), playing: false)
    try await listening.waitForStart(of: 1)
    await listening.sound.kill()
    try await listening.wait("the loss") { $0.contains { $0.isServerLost } }
    try await listening.sound.start()
    let ear = try await listening.sound.record()
    await listening.engine.play()
    try await ear.waitForSound(frames: 4410)
    let first = try #require(HeardFrames(ear.samples()).runs.first)
    #expect(abs(first.first - 20 * 44_100) < startSlack)
    await listening.end()
  }

  @Test("rule 56: the sink in use vanishes: paused within a second, and the other sink stays silent")
  func sinkVanishes() async throws {
    let listening = try await Listening(sinks: ["room", "car"])
    try await listening.sound.setDefaultSink("car")
    let room = try await listening.sound.record("room")
    let car = try await listening.sound.record("car")
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await car.waitForSound(frames: 22_050)
    let clock = SystemTimekeeper()
    let before = clock.now()
    try await listening.sound.removeSink("car")
    try await listening.wait("word of it") { $0.contains { $0.isSinkVanished } }
    #expect(clock.now() - before < .seconds(1))
    try await room.wait(seconds: 1)
    #expect(HeardFrames(room.samples()).total < 2205)
    let position = await listening.engine.position()
    let last = try #require(HeardFrames(car.samples()).runs.last)
    #expect(abs(position.seconds - Double(last.end) / 44_100) < 0.3)
    await listening.end()
  }

  @Test("rule 59: paused, the sink taken away and brought back: Play sounds there at the same place")
  func sinkReturns() async throws {
    let listening = try await Listening(sinks: ["room", "car"])
    try await listening.sound.setDefaultSink("car")
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    let car = try await listening.sound.record("car")
    try await car.waitForSound(frames: 22_050)
    await listening.engine.pause()
    try await car.wait(seconds: 0.2)
    let last = try #require(HeardFrames(car.samples()).runs.last)
    try await listening.sound.removeSink("car")
    try await listening.sound.addSink("car")
    try await listening.sound.setDefaultSink("car")
    let again = try await listening.sound.record("car")
    let clock = SystemTimekeeper()
    let before = clock.now()
    await listening.engine.play()
    try await again.waitForSound(frames: 4410, within: .seconds(5))
    #expect(clock.now() - before < .seconds(2))
    let first = try #require(HeardFrames(again.samples()).runs.first)
    #expect(abs(first.first - last.end) < 2205)
    #expect(!listening.events.contains { $0.isSinkVanished })
    await listening.end()
  }

  @Test("moved by hand to another sink, it goes on there, until an output is chosen, be it the one that was chosen before")
  func movedByHand() async throws {
    let listening = try await Listening(sinks: ["one", "two"])
    await listening.engine.setOutput(preferring: ["one"])
    let two = try await listening.sound.record("two")
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await listening.waitForStart(of: 1)
    let input = try await listening.input()
    try await listening.sound.pactl("move-sink-input", input, "two")
    try await two.waitForSound(frames: 22_050)
    #expect(!listening.events.contains { $0.isSinkVanished })
    let outputs = await listening.engine.outputs()
    #expect(outputs.first { $0.isCurrent }?.id == "two")
    let one = try await listening.sound.record("one")
    let from = one.count
    await listening.engine.setOutput(preferring: ["one"])
    try await one.waitForSound(frames: 22_050, from: from)
    await listening.end()
  }

  @Test("the preferred output is taken when it is there, when it comes, and when it is chosen while playing")
  func preferredOutput() async throws {
    let listening = try await Listening(sinks: ["one", "two"])
    await listening.engine.setOutput(preferring: ["car", "two"])
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    let two = try await listening.sound.record("two")
    try await two.waitForSound(frames: 4410)
    try await listening.sound.addSink("car")
    let car = try await listening.sound.record("car")
    try await car.waitForSound(frames: 4410)
    await listening.engine.setOutput(preferring: ["one"])
    let one = try await listening.sound.record("one")
    try await one.waitForSound(frames: 4410)
    #expect(!listening.events.contains { $0.isSinkVanished })
    await listening.end()
  }

  @Test("the volume goes both ways and is kept when the server returns")
  func volume() async throws {
    let listening = try await Listening()
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await listening.waitForStart(of: 1)
    let input = try await listening.input()
    try await listening.sound.pactl("set-sink-input-volume", input, "40%")
    try await listening.wait("the volume") { $0.contains { abs(($0.newVolume ?? 0) - 0.4) < 0.005 } }
    await listening.engine.setVolume(0.7)
    // Our own change is no news.
    try await listening.sound.pactl("set-sink-input-volume", input, "30%")
    try await listening.wait("the volume") { $0.contains { abs(($0.newVolume ?? 0) - 0.3) < 0.005 } }
    #expect(!listening.events.contains { abs(($0.newVolume ?? 0) - 0.7) < 0.01 })
    await listening.engine.setFade(0.5)
    try await listening.sound.pactl("list", "sink-inputs")
    #expect(try await listening.sound.pactl("list", "sink-inputs").contains("15%"))
    await listening.engine.setFade(1)
    let count = listening.events.filter { $0.newVolume != nil }.count
    await listening.sound.kill()
    try await listening.sound.start()
    try await listening.wait("the return") { $0.contains { $0.isServerBack } }
    _ = try await listening.sound.sinkInput()
    #expect(try await listening.sound.pactl("list", "sink-inputs").contains("30%"))
    #expect(listening.events.filter { $0.newVolume != nil }.count == count)
    await listening.end()
  }

  @Test("a server that has a sink but refuses the stream is asked again, for nothing tells when it would not any more")
  func refused() async throws {
    let listening = try await Listening()
    // PulseAudio takes 256 streams on a sink, and no more. Suspended, it does not reckon them.
    try await listening.sound.pactl("suspend-sink", "main", "1")
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<32 { try await listening.sound.pactl("load-module", "module-sine", "sink=main") }
        }
      }
      try await group.waitForAll()
    }
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await listening.wait("word of it") { $0.contains { $0.isServerLost } }
    try await listening.sound.pactl("unload-module", "module-sine")
    try await listening.sound.pactl("suspend-sink", "main", "0")
    try await listening.wait("its return") { $0.contains { $0.isServerBack } }
    let ear = try await listening.sound.record()
    try await ear.waitForSound(frames: 4410)
    await listening.end()
  }

  @Test("muted at the sound server, the stream or its output, is told, and so is its end")
  func muted() async throws {
    let listening = try await Listening()
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await listening.waitForStart(of: 1)
    let input = try await listening.input()
    for (count, command) in [["set-sink-input-mute", input], ["set-sink-mute", "main"]].enumerated() {
      try await listening.sound.pactl(command + ["1"])
      try await listening.wait("muted") { $0.compactMap(\.newMute).count == 2 * count + 1 }
      try await listening.sound.pactl(command + ["0"])
      try await listening.wait("not muted") { $0.compactMap(\.newMute).count == 2 * count + 2 }
    }
    #expect(listening.events.compactMap(\.newMute) == [true, false, true, false])
    await listening.end()
  }

  @Test("a stream with a phone's role asks for quiet, and takes it back")
  func corkRequest() async throws {
    let listening = try await Listening()
    try await listening.sound.pactl("load-module", "module-role-cork")
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await listening.waitForStart(of: 1)
    _ = try await listening.sound.sinkInput()
    let call = try ChildProcess(
      "pacat", ["--server=\(listening.sound.server)", "--property=media.role=phone", "/dev/zero"],
      environment: listening.sound.environment)
    try await listening.wait("the request") { $0.contains { $0.corkRequest == true } }
    // As the player does.
    await listening.engine.pause()
    while try await !listening.sound.pactl("list", "sink-inputs").contains("Corked: yes") {}
    call.send(15)
    _ = await call.wait()
    try await listening.wait("its end") { $0.contains { $0.corkRequest == false } }
    await listening.end()
  }

  @Test("the stream says what it is")
  func names() async throws {
    let listening = try await Listening()
    await listening.engine.load(.counting(1, seconds: 3), at: .zero, playing: true)
    await listening.engine.prepareNext(.counting(2, seconds: 60))
    try await listening.waitForStart(of: 1)
    _ = try await listening.sound.sinkInput()
    let first = try await listening.sound.pactl("list", "sink-inputs")
    #expect(first.contains("media.name = \"item 1\""))
    #expect(first.contains("media.role = \"music\""))
    #expect(first.contains("application.name = \"ipodderx\""))
    try await listening.waitForStart(of: 2)
    let second = try await listening.sound.pactl("list", "sink-inputs")
    #expect(second.contains("media.name = \"item 2\""))
    await listening.end()
  }

  @Test("rule 73: a hundred random pauses, resumes and seeks never leave it playing without sound")
  func randomOperations() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let clock = SystemTimekeeper()
    await listening.engine.load(.counting(1, seconds: 700), at: .zero, playing: true)
    var isPlaying = true
    for step in 0..<100 {
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        await listening.engine.pause()
        isPlaying = false
      case 1:
        await listening.engine.play()
        isPlaying = true
      default:
        await listening.engine.seek(to: .seconds(Int64.random(in: 0..<600, using: &random)))
      }
      guard step % 4 == 3, isPlaying else { continue }
      let from = ear.count
      try await ear.wait("sound after step \(step) of seed \(seed)", from: from, within: .seconds(3)) {
        HeardFrames($0.suffix(8820)).total > 4000
      }
      let before = clock.now()
      let last = try #require(HeardFrames(ear.samples(from: max(0, ear.count - 4410))).runs.last)
      let position = await listening.engine.position()
      // Between the two questions the sound goes on, on a busy machine for a while.
      let took = (clock.now() - before).inSeconds
      #expect(abs(position.seconds - Double(last.end) / 44_100) < 0.3 + took, "seed \(seed), step \(step)")
    }
    await listening.end()
  }

  @Test("a server without any sink is said, and sound begins when one comes")
  func noSink() async throws {
    let listening = try await Listening(sinks: [])
    await listening.engine.load(.counting(1, seconds: 60), at: .seconds(3), playing: true)
    try await listening.wait("word of it") { $0.contains { $0.isServerLost } }
    try await listening.sound.addSink("late")
    let ear = try await listening.sound.record("late")
    try await ear.waitForSound(frames: 4410)
    #expect(listening.events.contains { $0.isServerBack })
    await listening.end()
  }

  @Test("a suspended device does not move the position, and sound goes on after it")
  func suspendedDevice() async throws {
    let listening = try await Listening()
    let ear = try await listening.sound.record()
    await listening.engine.load(.counting(1, seconds: 60), at: .zero, playing: true)
    try await ear.waitForSound(frames: 22_050)
    try await listening.sound.pactl("suspend-sink", "main", "1")
    let first = await listening.engine.position()
    try await SystemTimekeeper().sleep(for: .milliseconds(600))
    let second = await listening.engine.position()
    #expect(abs((second - first).seconds) < 0.1)
    try await listening.sound.pactl("suspend-sink", "main", "0")
    let from = ear.count
    try await ear.waitForSound(frames: 22_050, from: from)
    await listening.end()
  }
}

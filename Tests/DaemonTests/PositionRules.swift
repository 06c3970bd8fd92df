import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// The place as clients see it around a jump: never backwards by itself, and told once.
@Suite(.timeLimit(.minutes(10))) struct PositionRules {
  @Test("after a jump or a change of speed Position never steps back untold, and one Seeked tells of it")
  func steady() async throws {
    let server = try await StrangersTests.server(seconds: 60)
    let player = try await RunningPlayer.start(at: server, settings: ["rewind = no"])
    try await StrangersTests.play(3, player)
    let recorder = try await #require(player.sound).record()
    try await recorder.waitForSound(frames: 3 * 44_100)
    recorder.stop()
    let clock = SystemTimekeeper()
    for change in ["Seek +10", "SetPosition 120", "Rate 1.5", "Rate 1", "SetPosition 3", "Next", "Play 1"] {
      let seeked = try await player.signals(.player, "Seeked")
      let words = change.split(separator: " ")
      let number = words.count > 1 ? Double(words[1]) ?? 0 : 0
      switch words[0] {
      case "Seek": try await player.call(.player, "Seek", .int64(Int64(number * 1e6)))
      case "SetPosition": try await player.playerctlPosition(number)
      case "Rate": try await player.set(.player, "Rate", .double(number))
      case "Play": try await player.call(.library, "Play", .string("episode/1"), .string("feed/7"))
      default: try await player.call(.player, "Next")
      }
      let title = change == "Next" ? "Episode 2" : change == "Play 1" ? "Episode 1" : nil
      if let title { try await player.wait(.player, "Metadata") { $0.asDictionary?["xesam:title"]?.asString == title } }
      let began = clock.now()
      var last = try await player.position
      var steps: [(from: Double, to: Double)] = []
      while clock.now() - began < .seconds(2) {
        let place = try await player.position
        if place < last - 0.005 { steps.append((last, place)) }
        last = place
      }
      try await player.call(.player, "Seek", .int64(1_000_000))
      let end = last + 1
      let told = try await within("the last Seeked") {
        var told: [Double] = []
        for await signal in seeked {
          let place = Double(signal.arguments.first?.asInt64 ?? 0) / 1e6
          told.append(place)
          if abs(place - end) < 0.3 { break }
        }
        return told
      }
      // A sink that gave out silence first is known of a moment after the start: who was told too much is told again.
      let untold = steps.filter { step in !told.contains { abs($0 - step.to) < 0.1 } }
      #expect(untold.isEmpty, "\(change): \(untold)")
      // Besides the last: an episode's own beginning, its length with it (rule 23), and what two looks at the sink put right.
      #expect(told.count <= (title == nil ? 2 : 5), "\(change): \(told)")
    }
    #expect(await player.end() == 0)
  }
}

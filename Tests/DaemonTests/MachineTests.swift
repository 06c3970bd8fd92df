import DBus
import Glibc
import Reactor
import TestKit
import Testing

/// The machine around the player: its sleep, and a sound server that was told to keep quiet.
@Suite(.timeLimit(.minutes(10))) struct MachineTests {
  @Test("idle sleep is held off only while it plays; before the machine sleeps the place is written: it may never wake")
  func sleeps() async throws {
    let system = try await PrivateBus.start()
    let logind = StandInLogind()
    let connection = try await DBusConnection.open(.address(system.address))
    try await logind.serve(on: connection)
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(
      at: server, settings: ["rewind = no"], more: ["DBUS_SYSTEM_BUS_ADDRESS": system.address])
    try await player.synced()
    #expect(logind.open.isEmpty)
    let ear = try await #require(player.sound).record()
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    #expect(Set([await logind.locks.next(), await logind.locks.next()]) == ["idle block", "sleep delay"])
    // Less than the ten seconds after which it would be written anyhow.
    try await ear.waitForSound(frames: 3 * 44_100)
    logind.prepareForSleep(true, on: connection)
    try await logind.until { $0 == ["idle block"] }
    let place = try await player.position
    // The battery is empty.
    #expect(await player.end(SIGKILL) == -SIGKILL)
    try await logind.until { $0.isEmpty }
    try await player.begin()
    try await player.wait(.player, "Metadata") { $0.asDictionary?["mpris:trackid"] != nil }
    #expect(abs(try await player.position - place) < 1, "\(place) s before the sleep")

    try await player.call(.player, "Play")
    #expect(Set([await logind.locks.next(), await logind.locks.next()]) == ["idle block", "sleep delay"])
    logind.prepareForSleep(true, on: connection)
    try await logind.until { $0 == ["idle block"] }
    logind.prepareForSleep(false, on: connection)
    #expect(await logind.locks.next() == "sleep delay")
    try await player.call(.player, "Pause")
    try await logind.until { $0.isEmpty }
    #expect(try await player.cli("set", "inhibit-sleep", "no").status == 0)
    try await player.call(.player, "Play")
    // The setting may be taken up a moment after Play.
    try await logind.until { $0 == ["sleep delay"] }
    #expect(await player.end() == 0)
    try await logind.until { $0.isEmpty }
    ear.stop()
    await connection.close()
    await system.stop()
  }

  @Test("outputs by preference, listed with the one in use; muted at the sound server is said by status and doctor")
  func outputs() async throws {
    let server = try await StrangersTests.server()
    let player = try await RunningPlayer.start(at: server, settings: ["output = car, headphones, nothing"])
    let sound = try #require(player.sound)
    try await player.synced()
    try await player.call(.library, "Play", .string("episode/1"), .string(""))
    try await player.wait(.own, "Problem") { $0.asString?.contains("car, headphones") == true }
    try await player.wait(.player, "PlaybackStatus") { $0 != .string("Playing") }
    for name in ["headphones", "car"] {
      try await sound.addSink(name)
      let ear = try await sound.record(name)
      if name == "headphones" {
        try await player.wait(.own, "Problem", is: .string(""))
        try await player.call(.player, "Play")
      }
      try await ear.waitForSound(frames: 4410)
      try await player.wait(.own, "Output", is: .string(name))
      ear.stop()
      let listed = try await player.cli("output").output
      let current = listed.split(separator: "\n").filter { $0.hasPrefix("▶") }
      #expect(current.count == 1 && current[0].contains("[\(name)]"), "\(listed)")
      #expect(try await player.cli("status").output.contains(name))
    }
    let input = try await sound.sinkInput()
    for words in [["set-sink-input-mute", input], ["set-sink-mute", "car"]] {
      try await sound.pactl(words + ["1"])
      try await player.wait(.own, "Problem") { $0.asString?.contains("Muted") == true }
      #expect(try await player.cli("status").output.contains("! Muted"))
      #expect(try await player.cli("doctor").output.contains("Playback: Muted"))
      try await sound.pactl(words + ["0"])
      try await player.wait(.own, "Problem", is: .string(""))
    }
    #expect(await player.end() == 0)
  }
}

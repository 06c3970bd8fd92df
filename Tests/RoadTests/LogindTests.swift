import DBus
import Library
import Player
import Reactor
import TestKit
import Testing

@testable import Daemon

@Suite("The road: the machine's sleep", .timeLimit(.minutes(10)))
struct LogindTests {
  @Test("held off only while playing, by setting; before the sleep the place is written; afterwards held off again")
  func sleeps() async throws {
    let bus = try await PrivateBus.start()
    let system = try await DBusConnection.open(.address(bus.address))
    let standIn = StandInLogind()
    try await standIn.serve(on: system)

    let tone = try await CountingTone.make(seconds: 20)
    let road = try await Road()
    road.library.put("e") { MemoryByteSource(tone.file) }
    let logind = Logind(player: road.player, inhibitsIdle: true, bus: .address(bus.address))
    let running = Task { await logind.run() }
    defer { running.cancel() }
    #expect(standIn.open.isEmpty)

    let ear = try await road.sound.record()
    try await road.player.play("e", within: nil)
    #expect(Set([await standIn.locks.next(), await standIn.locks.next()]) == ["idle block", "sleep delay"])
    try await ear.waitForSound(frames: 30_000)
    #expect(standIn.open == ["idle block", "sleep delay"])

    road.library.forgetPlaces()
    standIn.prepareForSleep(true, on: system)
    try await standIn.until { !$0.contains("sleep delay") }
    let heard = Heard(ear.samples(), of: [tone.frames])
    let saved = try #require(road.library.saved.last, "the place is written before the lock is let go of")
    #expect(abs(saved.place.seconds - Double(heard.end) / Double(CountingTone.rate)) < 0.3)
    standIn.prepareForSleep(false, on: system)
    #expect(await standIn.locks.next() == "sleep delay")

    await road.player.pause()
    try await standIn.until { $0.isEmpty }

    await logind.setInhibitsIdle(false)
    try await road.player.play()
    #expect(await standIn.locks.next() == "sleep delay")
    #expect(standIn.open == ["sleep delay"])
    await road.player.shutDown()
    try await standIn.until { $0.isEmpty }
    await road.end()
    await system.close()
    await bus.stop()
  }
}

import CLinux
import Glibc
import Reactor
import TestKit
import Testing

/// `IPODDERX_SOAK=30 swift test --filter SoakTests`: so many minutes, with IPODDERX_SOAK_LISTENERS at once (12) and
/// IPODDERX_SOAK_SEED. In every run: a slice of a fifth of a minute, with two.
@Suite("The road: for long")
struct SoakTests {
  private static func number(_ name: String) -> Double? { getenv(name).flatMap { Double(String(cString: $0)) } }

  @Test(
    "faults by chance: nothing lost or twice, no gap that nothing explains, every saved place true; memory, descriptors, threads flat"
  )
  func soak() async throws {
    let minutes = Self.number("IPODDERX_SOAK")
    // As the daemon does. With glibc's eight heaps a core, what was freed lay in the holes of sixteen of them: 156 MB grew to 226 in a
    // quarter of an hour, while what was allocated stayed at 44.
    if minutes != nil { Memory.beThrifty() }
    let listeners = Int(Self.number("IPODDERX_SOAK_LISTENERS") ?? (minutes == nil ? 2 : 12))
    let seed = Self.number("IPODDERX_SOAK_SEED").map { UInt64($0) } ?? UInt64.random(in: 0..<1_000_000)
    let turn = await Turns.sound.take()
    let tone = try await CountingTone.make(seconds: 60)
    let sound = try await PrivateSound(sinks: (0..<listeners).map { "s\($0)" })
    let clock = SystemTimekeeper()
    let end = clock.now() + .seconds((minutes ?? 0.2) * 60)
    var crowd: [SoakListener] = []
    for index in 0..<listeners {
      let listener = try await SoakListener(sound, sink: "s\(index)", tone: tone, seed: seed &+ UInt64(index) &* 7919)
      try await listener.begin()
      crowd.append(listener)
    }
    var total = SoakListener.Findings()
    var figures: [ProcessState] = []
    var round = 0
    repeat {
      let found = try await Self.round(crowd)
      total = total + found
      round += 1
      figures.append(ProcessState())
      if minutes != nil {
        print(
          "soak seed \(seed), round \(round): \(Int(total.heard)) s heard, \(figures[round - 1]), \(total.wrongs.count) wrongs")
        for wrong in found.wrongs { print("  \(wrong)") }
      }
      guard clock.now() < end, round % 4 == 0 else { continue }
      await sound.kill()
      try await sound.start()
      for listener in crowd {
        try await listener.road.until("sound after the sound server's restart", within: .seconds(20)) { $0.state == .playing }
      }
    } while clock.now() < end
    #expect(total.wrongs.isEmpty, "seed \(seed): \(total.wrongs.prefix(5))")
    #expect(total.heard > 5 && total.places > 0)
    for listener in crowd { await listener.end() }
    await sound.stop()
    withExtendedLifetime(turn) {}
    print(
      "soak seed \(seed): \(listeners) listeners, \(Int(total.heard)) s heard, \(total.seeks) seeks, \(total.pauses) pauses, "
        + "\(total.requests) requests (a quarter of them faulty), \(total.gaps) gaps, \(total.places) places saved; "
        + "first round \(figures[0]), last \(figures[figures.count - 1])")
    guard minutes != nil else { return }
    Self.checkFlat(figures)
  }

  /// The last third of the time against the one before it: what grows with time grows between them, and what comes and goes with the
  /// faults of a moment is evened out over a third.
  private static func checkFlat(_ figures: [ProcessState]) {
    let third = figures.count / 3
    guard third >= 3 else { return }
    let (middle, last) = (figures.dropFirst(third).prefix(third), figures.suffix(third))
    func mean(_ figures: ArraySlice<ProcessState>, _ what: (ProcessState) -> Int) -> Int {
      figures.reduce(0) { $0 + what($1) } / figures.count
    }
    // KB. What is allocated and not freed is all that we can leak; what is resident lags behind it in the heap's own holes.
    #expect(mean(last, \.live) <= mean(middle, \.live) + 1024)
    #expect(mean(last, \.memory) <= mean(middle, \.memory) * 103 / 100 + 1024)
    #expect(mean(last, \.descriptors) <= mean(middle, \.descriptors) + 1)
    // What we start ourselves; and Dispatch's idle workers, of which as many stay as once were busy at the same moment.
    #expect(mean(last, \.ownThreads) <= mean(middle, \.ownThreads))
    #expect(last.map(\.threads).max()! <= middle.map(\.threads).max()! + 8)
  }

  private static func round(_ crowd: [SoakListener]) async throws -> SoakListener.Findings {
    try await withThrowingTaskGroup(of: SoakListener.Findings.self) { group in
      for listener in crowd { group.addTask { try await listener.listen(seconds: 10) } }
      return try await group.reduce(SoakListener.Findings()) { $0 + $1 }
    }
  }
}

/// What this process holds.
struct ProcessState: Sendable, CustomStringConvertible {
  /// KB resident, after what is free was given back.
  var memory = 0
  /// KB allocated and not freed.
  var live = 0
  var threads = 0
  /// Without Dispatch's workers, and those of the fault servers, that have their name.
  var ownThreads = 0
  var descriptors = 0

  init() {
    _ = clinux_malloc_trim()
    live = clinux_malloc_live() / 1024
    for line in Self.text("/proc/self/status").split(separator: "\n") {
      let number = Int(line.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
      if line.hasPrefix("VmRSS:") { memory = number }
      if line.hasPrefix("Threads:") { threads = number }
    }
    if let folder = opendir("/proc/self/task") {
      while let entry = readdir(folder) {
        let thread = withUnsafePointer(to: &entry.pointee.d_name) {
          String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
        guard !thread.hasPrefix(".") else { continue }
        if !Self.text("/proc/self/task/\(thread)/comm").contains("-qos") { ownThreads += 1 }
      }
      closedir(folder)
    }
    for number in 0..<4096 where fcntl(Int32(number), F_GETFD) >= 0 { descriptors += 1 }
  }

  var description: String { "\(memory) KB (\(live) live), \(threads) threads (\(ownThreads) own), \(descriptors) descriptors" }

  private static func text(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 8192)
    return String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
  }
}

import CLinux
import DecodeWire
import Glibc
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

@Suite("The decode helper", .timeLimit(.minutes(3))) struct HelperDecoderTests {
  /// What makes the file, and how far its sound may lie from its clock (the encoder's own delay, where the container cannot say it).
  static let kinds: [(command: String, delay: Double)] = [
    ("ffmpeg -v error -y -i IN -c:a aac OUT.m4a", 0),
    ("ffmpeg -v error -y -i IN -c:a aac -movflags +faststart OUT.mp4", 0),
    ("ffmpeg -v error -y -i IN -c:a alac OUT.m4a", 0),
    ("ffmpeg -v error -y -i IN -c:a aac OUT.aac", -0.023),
    ("ffmpeg -v error -y -i IN -c:a flac OUT.mka", 0),
    ("flac -s -f IN -o OUT.flac", 0),
    ("flac -s -f --ogg IN -o OUT.oga", 0),
    ("sox IN OUT.wav", 0),
    ("sox IN -b 24 OUT.aiff", 0),
  ]
  static let places = [0.0, 3.7, 11.0, 6.26, 6.0, 0.013, 9.99]

  @Test("every kind sounds right and has its length", arguments: kinds.indices)
  func soundsRight(index: Int) async throws {
    let (command, delay) = Self.kinds[index]
    let bytes = try await MadeFiles.shared.make(command)
    for options in [MemoryByteSource.Options(), .network] {
      let source = MemoryByteSource(bytes, options)
      let decoder = try DecoderFactory.open(source, typeHint: nil, helper: BuiltHelper.program)
      if let length = decoder.description.length { #expect(abs(length.seconds - 12) < 0.1, "\(command)") }
      if options.isLocal { #expect(decoder.description.length != nil, "\(command)") }
      let decoded = try Decoded(decoder)
      #expect(decoded.wrongSteps(shift: delay) == [], "\(command)")
      #expect(abs(decoded.seconds - 12) < 0.1, "\(command): \(decoded.seconds)")
      #expect(abs((decoder.description.length?.seconds ?? 0) - decoded.seconds) < 0.01, "\(command)")
    }
  }

  @Test("a seek lands where it says, anywhere, interrupted or not", arguments: kinds.indices)
  func seeks(index: Int) async throws {
    let (command, delay) = Self.kinds[index]
    let bytes = try await MadeFiles.shared.make(command)
    for isNetwork in [false, true] {
      let source = InterruptedSource(MemoryByteSource(bytes, isNetwork ? .network : .init()))
      let decoder = try DecoderFactory.open(source, typeHint: nil, helper: BuiltHelper.program)
      if isNetwork { source.interruptsEvery = 3 }
      for place in Self.places {
        let landed = try Decoded.again { () throws(DecoderError) in try decoder.seek(to: MediaTime(seconds: place)) }
        #expect(abs(landed.seconds - place) < 0.05, "\(command) to \(place): \(landed.seconds)")
        let decoded = try Decoded(decoder, limit: 0.9)
        #expect(decoded.runs.first.map { abs($0.start - landed.seconds) < 0.001 } == true, "\(command) at \(place)")
        #expect(decoded.wrongSteps(shift: delay) == [], "\(command) at \(place)")
      }
    }
  }

  @Test(
    "files glued together: their clocks begin again, time goes on",
    arguments: ["flac -s -f IN -o OUT.flac", "ffmpeg -v error -y -i IN -c:a aac OUT.aac"])
  func glued(command: String) async throws {
    var parts: [[UInt8]] = []
    for start in [0.0, 6, 12] { parts.append(try await MadeFiles.shared.make(command, seconds: 6, from: start)) }
    let decoder = try DecoderFactory.open(
      MemoryByteSource(Array(parts.joined()), .network), typeHint: nil, helper: BuiltHelper.program)
    let decoded = try Decoded(decoder)
    #expect(abs(decoded.seconds - 18) < 0.2, "\(decoded.seconds)")
    // Each part of AAC begins with its encoder's own delay.
    if command.hasPrefix("flac") { #expect(decoded.wrongSteps() == []) }
    #expect(zip(decoded.runs, decoded.runs.dropFirst()).allSatisfy { $0.start <= $1.start })
    #expect(abs((decoder.description.length?.seconds ?? 0) - 18) < 0.2)
  }

  @Test("another seek while one waits for bytes gives that one up")
  func changesItsMind() async throws {
    let bytes = try await MadeFiles.shared.make("sox IN OUT.wav")
    let source = InterruptedSource(MemoryByteSource(bytes, .network))
    let decoder = try DecoderFactory.open(source, typeHint: nil, helper: BuiltHelper.program)
    source.interruptsEvery = 1
    #expect(throws: DecoderError.self) { try decoder.seek(to: .seconds(9)) }
    #expect(throws: DecoderError.self) { try decoder.seek(to: .seconds(5)) }
    source.interruptsEvery = nil
    let landed = try decoder.seek(to: .seconds(2))
    #expect(abs(landed.seconds - 2) < 0.001)
    #expect(try Decoded(decoder, limit: 1).wrongSteps() == [])
  }

  @Test("a helper killed in mid-file costs a sentence")
  func killed() async throws {
    let bytes = try await MadeFiles.shared.make("sox IN OUT.wav")
    let link = try BuiltHelper.program.start()
    let decoder = try HelperDecoder(MemoryByteSource(bytes), link)
    _ = try Decoded(decoder, limit: 1)
    let child = try #require(link.child)
    child.send(SIGKILL)
    _ = await child.wait()
    for _ in 0..<2 {
      let error = #expect(throws: DecoderError.self) { try Decoded(decoder) }
      #expect(error?.code == .helperDied)
      #expect(error?.description.hasSuffix(".") == true)
    }
  }

  @Test("a helper that hangs is ended and costs a sentence")
  func hangs() async throws {
    var ends: [Int32] = [0, 0]
    try #require(clinux_stream_pair(&ends) == 0)
    defer { close(ends[1]) }
    let link = HelperLink(ends[0], nil, patience: 1)
    let error = #expect(throws: DecoderError.self) { try HelperDecoder(MemoryByteSource([1, 2, 3]), link) }
    #expect(error?.code == .helperDied)
  }

  @Test("garbage from a helper costs a sentence and nothing more")
  func garbageFromHelper() async throws {
    var random = SystemRandomNumberGenerator()
    for round in 0..<300 {
      var ends: [Int32] = [0, 0]
      try #require(clinux_stream_pair(&ends) == 0)
      var bytes: [UInt8] = []
      for _ in 0..<20 {
        var head = [UInt8](repeating: 0, count: WireHeader.size)
        head[0] = round % 2 == 0 ? UInt8.random(in: 16...21, using: &random) : .random(in: 0...255, using: &random)
        head[4] = .random(in: 0...40, using: &random)
        for index in 8..<24 where Bool.random(using: &random) { head[index] = .random(in: 0...255, using: &random) }
        bytes += head + (0..<Int(head[4])).map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      try WireSocket(ends[1]).sendAll(bytes)
      shutdown(ends[1], Int32(SHUT_WR))
      let link = HelperLink(ends[0], nil, patience: 5)
      #expect(throws: DecoderError.self) {
        let decoder = try HelperDecoder(MemoryByteSource([1, 2, 3]), link)
        _ = try decoder.seek(to: .seconds(1))
        while try Decoded(decoder, limit: 1).seconds > 0 {}
        throw DecoderError(.damaged, "It said nothing wrong.")
      }
      close(ends[1])
    }
  }

  @Test("garbage to a helper ends it")
  func garbageToHelper() async throws {
    for kind: UInt8 in [0, 2, 3, 4, 5, 16, 255] {
      let link = try BuiltHelper.program.start()
      var bytes = [UInt8](repeating: kind, count: 64)
      bytes.replaceSubrange(1..<4, with: [0, 0, 0])
      try link.socket.sendAll(bytes)
      let child = try #require(link.child)
      #expect(await child.wait().status == 3, "kind \(kind)")
    }
  }

  @Test("files broken at random give sound or a sentence", arguments: [0, 2, 3, 5, 6, 8])
  func brokenFiles(index: Int) async throws {
    let whole = try await MadeFiles.shared.make(Self.kinds[index].command, seconds: 2)
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    for round in 0..<20 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        // The headers are where it matters; the magic stays, so that the helper is asked at all.
        let last = Bool.random(using: &random) ? min(4096, bytes.count) : bytes.count
        bytes[Int.random(in: 12..<last, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count - 16, using: &random)) }
      do throws(DecoderError) {
        let decoder = try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil, helper: BuiltHelper.program)
        let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 16384)
        defer { buffer.deallocate() }
        var frames = 0
        while case let chunk = try decoder.read(into: buffer), chunk.frames > 0, frames < 1 << 22 { frames += chunk.frames }
        _ = try decoder.seek(to: .seconds(1))
      } catch {
        #expect(error.code != .interrupted && !error.description.isEmpty, "seed \(seed) round \(round)")
      }
    }
  }

  @Test("a video is refused with a sentence; a cover makes no video")
  func videos() async throws {
    let video = try await MadeFiles.shared.make(
      "ffmpeg -v error -y -f lavfi -i testsrc=d=1:s=64x64 -i IN -c:v mpeg4 -c:a aac -shortest OUT.mp4", seconds: 1)
    let error = #expect(throws: DecoderError.self) {
      try DecoderFactory.open(MemoryByteSource(video), typeHint: "audio/mp4", helper: BuiltHelper.program)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.description == "This is a video.")
    let covered = try await MadeFiles.shared.make(
      "ffmpeg -v error -y -f lavfi -i testsrc=d=0.04:s=64x64 -i IN -c:v mjpeg -disposition:v attached_pic -c:a aac OUT.m4a",
      seconds: 2)
    let decoder = try DecoderFactory.open(MemoryByteSource(covered), typeHint: nil, helper: BuiltHelper.program)
    #expect(abs(try Decoded(decoder).seconds - 2) < 0.1)
  }

  @Test("no helper installed: a sentence")
  func notInstalled() async throws {
    let bytes = try await MadeFiles.shared.make("sox IN OUT.wav")
    let error = #expect(throws: DecoderError.self) {
      try DecoderFactory.open(MemoryByteSource(bytes), typeHint: nil, helper: HelperProgram(path: nil))
    }
    #expect(error?.code == .unsupported)
  }

  @Test("the helper can do nothing but decode")
  func confined() async throws {
    let trial = try await CapturedProgram.run(BuiltHelper.path, ["--prove-confinement"])
    #expect(trial.text.contains("filter: yes"))
    for attempt in ["open a file", "a network socket", "another process", "another program", "new code", "much memory"] {
      #expect(trial.text.contains("\(attempt): refused"), "\(trial.text)")
    }
    #expect(!trial.text.contains("ALLOWED"), "\(trial.text)")
    #expect(trial.status == 0)
  }

  @Test("a helper at work is confined, and has one descriptor")
  func confinedAtWork() async throws {
    let bytes = try await MadeFiles.shared.make("sox IN OUT.wav")
    let link = try BuiltHelper.program.start()
    let decoder = try HelperDecoder(MemoryByteSource(bytes), link)
    let pid = try #require(link.child).pid
    let status = String(decoding: try CFile.read("/proc/\(pid)/status"), as: UTF8.self)
    #expect(status.contains("Seccomp:\t2"))
    #expect(status.contains("NoNewPrivs:\t1"))
    #expect(status.contains("Threads:\t1\n"))
    let limits = String(decoding: try CFile.read("/proc/\(pid)/limits"), as: UTF8.self).split(separator: "\n")
    func limit(_ name: String) -> Int? {
      limits.first { $0.hasPrefix("Max \(name)") }?.dropFirst(4 + name.count).split(separator: " ").first.flatMap { Int($0) }
    }
    #expect(limit("cpu time") == 7200, "seconds: what takes longer turns in circles")
    #expect(limit("address space").map { (384 << 20..<2 << 30).contains($0) } == true, "what was mapped, and 384 MB")
    for name in ["file size", "open files", "core file size"] { #expect(limit(name) == 0, "\(name)") }
    #expect(abs(try Decoded(decoder).seconds - 12) < 0.01)
  }
}

/// Throws `.interrupted` at every so-many-th read, once set.
final class InterruptedSource: ByteSource, @unchecked Sendable {
  private let base: MemoryByteSource
  private var reads = 0
  var interruptsEvery: Int?

  init(_ base: MemoryByteSource) { self.base = base }

  var length: Int64? { base.length }
  var isSeekable: Bool { base.isSeekable }
  var isRepeatable: Bool { base.isRepeatable }
  func held(from offset: Int64) -> Int64 { base.held(from: offset) }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    reads += 1
    if let interruptsEvery, reads % interruptsEvery == 0 { throw ByteSourceError(.interrupted, "interrupted") }
    return try base.read(at: offset, into: buffer)
  }

  func interrupt() { base.interrupt() }
  func resume() { base.resume() }
  func setReadAhead(_ bytes: Int64) {}
  func close() { base.close() }
}

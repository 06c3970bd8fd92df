import Glibc
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// The corpus broken at random, through the very door that files from outside come in by: sound or a sentence, in bounded time, never a trap.
/// `IPODDERX_FUZZ=N` sets how many, `IPODDERX_FUZZ_SEED=S` where to begin; each failure names its seed, and what a crash came from lies in
/// `/tmp/ipodderx-fuzz-…` (or comes again under `MALLOC_CHECK_=3` with `libc_malloc_debug.so` preloaded).
@Suite("Fuzzing of files", .timeLimit(.minutes(60))) struct CorpusFuzzTests {
  private static func number(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }
  private static var rounds: Int? { number("IPODDERX_FUZZ").map { Int($0) } }

  /// Two seconds of each kind: broken files need not be long.
  private static let inProcess = [
    "lame --quiet -b 64 IN OUT.mp3", "lame --quiet -V 4 IN OUT.mp3", "lame --quiet -V 4 -t IN OUT.mp3",
    "lame --quiet --freeformat -b 200 -t IN OUT.mp3", "lame --quiet -b 64 --tt Title --tl Album --add-id3v2 IN OUT.mp3",
    "ffmpeg -v error -y -i IN -c:a mp2 OUT.mp2", "opusenc --quiet --bitrate 32 IN OUT.opus",
  ]
  private static let byHelper = [
    "ffmpeg -v error -y -i IN -c:a aac OUT.m4a", "ffmpeg -v error -y -i IN -c:a aac OUT.aac", "flac -s -f IN -o OUT.flac",
    "flac -s -f --ogg IN -o OUT.oga", "sox IN OUT.wav", "ffmpeg -v error -y -i IN -c:a alac OUT.m4a",
    "ffmpeg -v error -y -i IN -c:a wmav2 OUT.wma", "oggenc -Q -q 1 IN -o OUT.ogg",
    "ffmpeg -v error -y -i IN -c:a libopus OUT.mka",
  ]

  @Test("MPEG and Opus, in process")
  func decoders() async throws {
    let seed = Self.number("IPODDERX_FUZZ_SEED") ?? .random(in: 0...UInt64.max / 2)
    var wholes: [[UInt8]] = []
    for command in Self.inProcess { wholes.append(try await MadeFiles.shared.make(command, seconds: 2, rate: 44100)) }
    let second = try await MadeFiles.shared.make(Self.inProcess[1], seconds: 2, rate: 24000, channels: 1)
    wholes.append(try #require(wholes.first) + second)
    wholes.append(TagBytes.id3(TagBytes.text("TIT2", "A title") + TagBytes.picture(3000)) + wholes[0] + TagBytes.id3v1())
    wholes.append(MPEGBytes.withVBRI(wholes[2]) + TagBytes.ape([("Title", [65])]) + TagBytes.lyrics3v2("la"))
    var sounded = 0
    let rounds = Self.rounds ?? 400
    for round in 0..<rounds {
      let here = seed &+ UInt64(round)
      var chance = SplitMix64(seed: here)
      let bytes = Mutation.apply(to: wholes[chance.below(wholes.count)], &chance)
      if Self.tryOut(bytes, here, &chance, helper: HelperProgram(path: nil)) { sounded += 1 }
    }
    #expect(sounded > rounds / 4, "most of what is a little broken still sounds; seed \(seed)")
  }

  @Test("everything else, by the helper: its death costs the episode a sentence")
  func helper() async throws {
    let seed = Self.number("IPODDERX_FUZZ_SEED") ?? .random(in: 0...UInt64.max / 2)
    var wholes: [[UInt8]] = []
    for command in Self.byHelper { wholes.append(try await MadeFiles.shared.make(command, seconds: 2, rate: 48000)) }
    let rounds = (Self.rounds ?? 600) / 20
    var sounded = 0
    for round in 0..<rounds {
      let here = seed &+ UInt64(round)
      var chance = SplitMix64(seed: here)
      let bytes = Mutation.apply(to: wholes[chance.below(wholes.count)], &chance)
      if Self.tryOut(bytes, here, &chance, helper: BuiltHelper.program) { sounded += 1 }
    }
    #expect(sounded > 0, "seed \(seed)")
  }

  /// Whether any of it sounded.
  private static func tryOut(_ bytes: [UInt8], _ seed: UInt64, _ chance: inout SplitMix64, helper: HelperProgram) -> Bool {
    // A crash tells no seed: in a long run the file is left behind for it.
    if rounds != nil {
      try? CFile.write(bytes, to: "/tmp/ipodderx-fuzz-\(getpid())-\(helper.path == nil ? "in-process" : "helper")")
    }
    let start = ContinuousClock.now
    var frames = 0
    do throws(DecoderError) {
      var options = chance.below(2) == 0 ? MemoryByteSource.Options() : .network
      if chance.below(8) == 0 { options.isSeekable = false }
      let decoder = try DecoderFactory.open(MemoryByteSource(bytes, options), typeHint: nil, helper: helper)
      frames += try read(decoder, 60)
      for _ in 0..<3 {
        let place = [0, 0.5, 1.9, 60, 1e12][chance.below(5)]
        let landed = try decoder.seek(to: MediaTime(seconds: place))
        if landed < .zero { Issue.record("seed \(seed): landed at \(landed)") }
        frames += try read(decoder, 20)
      }
      if let length = decoder.description.length, length < .zero { Issue.record("seed \(seed): length \(length)") }
    } catch {
      if error.code == .interrupted || !error.description.hasSuffix(".") { Issue.record("seed \(seed): \(error)") }
    }
    let seconds = ContinuousClock.now - start
    if seconds > .seconds(30) { Issue.record("seed \(seed) took \(seconds)") }
    return frames > 0
  }

  private static func read(_ decoder: any Decoder, _ times: Int) throws(DecoderError) -> Int {
    let buffer = UnsafeMutableBufferPointer<Int16>.allocate(capacity: 16384)
    defer { buffer.deallocate() }
    var frames = 0
    for _ in 0..<times {
      let chunk = try decoder.read(into: buffer)
      guard chunk.frames > 0 else { break }
      frames += chunk.frames
      if chunk.frames * chunk.channels > buffer.count || chunk.sampleRate <= 0 || chunk.place < .zero {
        Issue.record("impossible: \(chunk)")
      }
    }
    return frames
  }
}

/// What a bad road, a bad disk and a bad person do to a file.
enum Mutation {
  static func apply(to whole: [UInt8], _ chance: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    // Packets inside of Ogg pages are reached only if the pages' sums are right.
    let isSealed = bytes.starts(with: Array("OggS".utf8)) && chance.below(3) > 0
    if isSealed {
      var pages = OggBytes.pages(bytes)
      for _ in 0...chance.below(4) where !pages.isEmpty {
        let index = chance.below(2) == 0 ? chance.below(min(3, pages.count)) : chance.below(pages.count)
        switch chance.below(4) {
        case 0: pages.remove(at: index)
        case 1: pages.insert(pages[chance.below(pages.count)], at: index)
        default: pages[index] = OggBytes.sealed(scratched(pages[index], &chance))
        }
      }
      return pages.flatMap { $0 }
    }
    for _ in 0...chance.below(6) where !bytes.isEmpty {
      switch chance.below(6) {
      case 0: bytes.removeLast(chance.below(bytes.count))
      case 1:
        let from = chance.below(bytes.count)
        bytes.removeSubrange(from..<min(bytes.count, from + chance.below(2000)))
      case 2:
        let from = chance.below(bytes.count)
        let piece = Array(bytes[from..<min(bytes.count, from + chance.below(2000))])
        bytes.insert(contentsOf: piece, at: chance.below(bytes.count))
      case 3: bytes.insert(contentsOf: chance.bytes(chance.below(3000)), at: chance.below(bytes.count))
      default: bytes = scratched(bytes, &chance)
      }
    }
    return bytes
  }

  /// Bytes overwritten, the first ones most of all: lengths and counts stand there.
  private static func scratched(_ whole: [UInt8], _ chance: inout SplitMix64) -> [UInt8] {
    var bytes = whole
    for _ in 0...chance.below(20) where !bytes.isEmpty {
      let last = [64, 600, 4096, bytes.count][chance.below(4)]
      let at = chance.below(min(last, bytes.count))
      bytes[at] = [0, 0x7F, 0x80, 0xFF, UInt8(truncatingIfNeeded: chance.next())][chance.below(5)]
    }
    return bytes
  }
}

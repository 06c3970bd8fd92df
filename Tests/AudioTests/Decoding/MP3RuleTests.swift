import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// The rules of the field under *MP3*, each with all of its kind that the corpus has. (Rule 117 is with `MP3DecoderTests`.)
@Suite("MP3: rules of the field", .timeLimit(.minutes(5))) struct MP3RuleTests {
  @Test(
    "rule 105: false sync words in a picture, however large, are no sound: the right rate from the first real frame, and none of it fetched",
    arguments: [
      "a picture of 300 KB with frames in it", "a picture of 5 MB with frames in it", "a picture of 5 MB, no header",
      "a picture, unsynchronised 2.3", "a picture, unsynchronised 2.4",
    ])
  func rule105(name: String) async throws {
    let file = try Corpus.named(name)
    try await CorpusTests.check(file)
    let source = MemoryByteSource(try await file.make().bytes, .network)
    let decoder = try CorpusTests.open(source, file)
    #expect(decoder.description.sampleRate == 44100 && decoder.description.channels == 2)
    _ = try Decoded(decoder, limit: 0.5)
    #expect(source.bytesRead < 300_000, "the picture is passed over, not read")
  }

  @Test(
    "rule 107: vendor's junk in front and tags with sizes that are not syncsafe, or untrue, do not stop playback",
    arguments: [
      "64 KB of vendor's junk in front", "zeros in front", "a false frame in front", "half a frame in front",
      "a tag whose size is not syncsafe", "a tag whose size is too small", "a tag whose size is a little too small",
      "a tag whose size is too large", "a tag whose size is larger than the file", "a tag with size zero",
      "a picture of 5 MB in a tag whose size is too small", "padding forgotten by the tag", "three tags in a row",
    ])
  func rule107(name: String) async throws { try await CorpusTests.check(Corpus.named(name)) }

  @Test(
    "rule 109: a header that disagrees with the bytes is not used for the length, and no silence is played for what it claims",
    arguments: [
      "Xing with ten times the frames", "Info with ten times the frames", "Info with a third of the frames",
      "Xing with twice the frames", "Xing with half of the bytes", "Xing without a table", "Xing with nothing in it",
      "Info with nothing in it", "cut off at two thirds", "varying, cut off at two thirds",
      "two whole files, one after the other",
    ])
  func rule109(name: String) async throws { try await CorpusTests.check(Corpus.named(name)) }

  @Test(
    "rule 111: rate and channels change in mid-file: the pitch is right on both sides, and the gap is under 100 ms",
    arguments: ["the rate drops in mid-file", "48 kHz after 44.1 kHz", "mono, then stereo, then mono", "the bitrate jumps"])
  func rule111(name: String) async throws {
    let file = try Corpus.named(name)
    try await CorpusTests.check(file)
    let made = try await file.make()
    guard case .sound(let truth) = made.outcome else { return }
    // As it leaves for the sink: at one rate throughout.
    let heard = await PipelineRun.hear(MemoryByteSource(made.bytes))
    #expect(truth.faults(of: heard, speed: 1) == [])
    let loud = heard.samples.indices.filter { abs(Int(heard.samples[$0])) > 600 }
    let longest = zip(loud, loud.dropFirst()).map { $1 - $0 }.max() ?? .max
    #expect(Double(longest) / Double(max(1, heard.rate)) < 0.1, "\(longest) silent samples")
  }

  @Test(
    "rule 113: APE, ID3v1 and Lyrics3 behind the sound are never sound and never change the length, nor does TAG inside of one",
    arguments: [
      "ID3v1 behind", "APE behind", "APE with TAG in it behind", "APE without a header, then ID3v1", "Lyrics3 behind",
      "Lyrics3 v1 behind", "APE, Lyrics3 and ID3v1 behind", "ID3v2.4 with a footer, at the end", "APE in front", "junk behind",
      "zeros behind", "half a frame behind",
    ])
  func rule113(name: String) async throws {
    let file = try Corpus.named(name)
    try await CorpusTests.check(file)
    let made = try await file.make()
    guard case .sound(let truth) = made.outcome else { return }
    // Over a network, with some held ahead: the end is looked at, and the length known long before it.
    var options = MemoryByteSource.Options.network
    options.ahead = 40_000
    let decoder = try CorpusTests.open(MemoryByteSource(made.bytes, options), file)
    _ = try Decoded(decoder, limit: 4)
    if let told = decoder.description.length { #expect(abs(told.seconds - truth.length) < 0.1, "\(told.seconds)") }
    // Whatever else stands there may be sound or not.
    if !["half a frame behind", "junk behind", "zeros behind"].contains(name) { #expect(decoder.description.length != nil) }
  }

  @Test(
    "rule 115: a malformed tag costs its tags at most, never the sound",
    arguments: [
      "iTunes: 2.4 with sizes that are not syncsafe", "a tag whose frames claim too much",
      "a tag with a frame in the middle that is none", "ID3v2.4 with an extended header", "ID3v2.4 with a footer", "ID3v2.2",
    ])
  func rule115(name: String) async throws {
    let file = try Corpus.named(name)
    try await CorpusTests.check(file)
    guard name.hasPrefix("iTunes") else { return }
    let decoder = try CorpusTests.open(MemoryByteSource(try await file.make().bytes), file)
    #expect(decoder.description.title?.hasPrefix("A title") == true, "and this one's frames can be read all the same")
  }
}

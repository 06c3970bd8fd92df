import Media
import Reactor

/// Ogg streams one behind the other, of whatever codecs: each part by its own decoder, as if it were one file. Reads in order; the libraries'
/// own seeking knows chains of one codec only.
final class OggChain: Decoder {
  typealias Opening = (OggLink) throws(DecoderError) -> any Decoder

  private let source: any ByteSource
  private let open: Opening
  private var link: OggLink
  private var inner: (any Decoder)?
  /// Where the part begins, and what is behind the last sample given.
  private var base = MediaTime.zero
  private var reached = MediaTime.zero
  private(set) var description: MediaDescription
  let replayGain: ReplayGainTags?

  init(_ source: any ByteSource, _ open: @escaping Opening) throws(DecoderError) {
    self.source = source
    self.open = open
    link = OggLink(source, from: 0)
    let first = try open(link)
    inner = first
    description = first.description
    replayGain = first.replayGain
  }

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    while true {
      var chunk = try opened().read(into: buffer)
      chunk.place = chunk.place + base
      if chunk.frames > 0 {
        reached = chunk.place + MediaTime(seconds: Double(chunk.frames) / Double(max(1, chunk.sampleRate)))
        (description.sampleRate, description.channels) = (chunk.sampleRate, chunk.channels)
        return chunk
      }
      guard let next = link.end else {
        description.length = reached
        chunk.place = reached
        return chunk
      }
      inner = nil
      base = reached
      link = OggLink(source, from: next)
    }
  }

  private func opened() throws(DecoderError) -> any Decoder {
    if let inner { return inner }
    do throws(DecoderError) {
      let decoder = try open(link)
      inner = decoder
      return decoder
    } catch {
      switch error.code {
      case .interrupted, .source: throw error
      case .notAudio, .unsupported, .damaged, .helperDied:
        throw DecoderError(error.code, "From \(base.clock) on the file holds another kind of sound. \(error.description)")
      }
    }
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    throw DecoderError(.damaged, "This file can only be played in order.")
  }
}

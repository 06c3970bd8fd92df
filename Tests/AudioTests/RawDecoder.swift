import Media
import Reactor

@testable import Audio

/// The double of a decoder: the bytes are the samples. The type hint says how: `raw;RATE;CHANNELS`, then any number of
/// `;FRAME:RATE` for a rate that changes in mid-file, then `;gain:DB:PEAK`.
final class RawDecoder: Decoder {
  private let source: any ByteSource
  private let channels: Int
  /// From which frame on which rate.
  private var rates: [(frame: Int, rate: Int)] = []
  private var frame = 0
  let replayGain: ReplayGainTags?

  static let open: DecodeThread.Opener = { source, hint, _ throws(DecoderError) in try RawDecoder(source, hint ?? "") }

  init(_ source: any ByteSource, _ hint: String) throws(DecoderError) {
    let words = hint.split(separator: ";")
    guard words.count >= 3, words[0] == "raw", let rate = Int(words[1]), let channels = Int(words[2]) else {
      throw DecoderError(.notAudio, "This is no audio.")
    }
    self.source = source
    self.channels = channels
    rates = [(0, rate)]
    var gain: ReplayGainTags?
    for word in words.dropFirst(3) {
      let parts = word.split(separator: ":")
      if parts[0] == "gain" {
        gain = ReplayGainTags(gain: Double(parts[1])!, peak: parts.count > 2 ? Double(parts[2]) : nil)
      } else {
        rates.append((Int(parts[0])!, Int(parts[1])!))
      }
    }
    replayGain = gain
    // Like a real one it needs some bytes before it knows anything.
    var byte: UInt8 = 0
    do throws(ByteSourceError) {
      _ = try withUnsafeMutableBytes(of: &byte) { buffer throws(ByteSourceError) in
        try source.read(at: 0, into: buffer)
      }
    } catch { throw DecoderError(error) }
  }

  var description: MediaDescription {
    MediaDescription(
      length: source.length.map { place(of: Int($0) / 2 / channels) }, isSeekable: true, format: "raw",
      sampleRate: rates[0].rate, channels: channels)
  }

  func read(into buffer: UnsafeMutableBufferPointer<Int16>) throws(DecoderError) -> DecodedChunk {
    let piece = rates.last { $0.frame <= frame }!
    let border = rates.first { $0.frame > frame }?.frame ?? .max
    let wanted = min(buffer.count / channels, border - frame, 4096)
    let bytes = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<(wanted * channels * 2)])
    var got = 0
    do throws(ByteSourceError) { got = try source.read(at: Int64(frame * channels * 2), into: bytes) } catch {
      throw DecoderError(error)
    }
    let chunk = DecodedChunk(
      frames: got / channels / 2, sampleRate: piece.rate, channels: channels, place: place(of: frame))
    frame += chunk.frames
    return chunk
  }

  func seek(to place: MediaTime) throws(DecoderError) -> MediaTime {
    var left = place.seconds
    var frame = 0
    for (index, piece) in rates.enumerated() {
      let border = index + 1 < rates.count ? rates[index + 1].frame : .max
      let length = border == .max ? .infinity : Double(border - piece.frame) / Double(piece.rate)
      if left < length {
        frame = piece.frame + Int((left * Double(piece.rate)).rounded())
        break
      }
      left -= length
    }
    self.frame = frame
    return self.place(of: frame)
  }

  private func place(of frame: Int) -> MediaTime {
    var seconds = 0.0
    for (index, piece) in rates.enumerated() where piece.frame < frame {
      let border = index + 1 < rates.count ? rates[index + 1].frame : .max
      seconds += Double(min(border, frame) - piece.frame) / Double(piece.rate)
    }
    return MediaTime(seconds: seconds)
  }
}

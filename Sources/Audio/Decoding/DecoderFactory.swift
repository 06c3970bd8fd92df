import Formats
import Media
import Reactor

/// Chooses the decoder by the bytes.
public enum DecoderFactory {
  /// - Parameters:
  ///   - typeHint: the MIME type a server names; only asked where the bytes leave it open.
  ///   - expectedLength: from the feed, to notice a file that says otherwise.
  public static func open(
    _ source: any ByteSource, typeHint: String?, expectedLength: MediaTime? = nil
  ) throws(DecoderError) -> any Decoder {
    let window = SourceWindow(source)
    let format = SniffedFormat(head: try window.view(at: 0, 4096))
    switch format {
    case .mp3, .unknown: return try MP3Decoder(window, expectedLength: expectedLength)
    case .oggOpus: return try OpusDecoder(window)
    case .oggVorbis: return try VorbisDecoder(window)
    case .text: throw DecoderError(.notAudio, "What came is text, not sound.")
    case .notMedia: throw DecoderError(.notAudio, "This file holds no sound.")
    case .empty: throw DecoderError(.notAudio, "The file is empty.")
    case .video: throw DecoderError(.unsupported, "This is a video.")
    default: throw DecoderError(.unsupported, "This kind of file cannot be played yet.")
    }
  }
}

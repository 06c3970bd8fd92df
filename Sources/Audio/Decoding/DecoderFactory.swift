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
    try open(source, typeHint: typeHint, expectedLength: expectedLength, helper: .installed)
  }

  static func open(
    _ source: any ByteSource, typeHint: String?, expectedLength: MediaTime? = nil, helper: HelperProgram
  ) throws(DecoderError) -> any Decoder {
    let window = SourceWindow(source)
    let head = try window.view(at: 0, 4096)
    let format = SniffedFormat(head: head)
    switch format {
    case .oggOpus, .oggVorbis: return try ogg(source, window, format, helper)
    case .text: throw DecoderError(.notAudio, "What came is text, not sound.")
    case .notMedia: throw DecoderError(.notAudio, "This file holds no sound.")
    case .empty: throw DecoderError(.notAudio, "The file is empty.")
    case .video: throw DecoderError(.unsupported, "This is a video.")
    case .mp3, .unknown:
      do throws(DecoderError) { return try MP3Decoder(window, expectedLength: expectedLength) } catch {
        // An ID3 tag may stand in front of anything, and what begins like nothing we know may be known to the helper.
        let mayBeOther = error.code == .unsupported || (format == .unknown && (error.code == .notAudio || error.code == .damaged))
        guard mayBeOther else { throw error }
        return try ordered(source) { () throws(DecoderError) in try HelperDecoder(source, helper) }
      }
    // libavformat believes the size of the file before the header.
    case .wav:
      return try ordered(source) { () throws(DecoderError) in
        try HelperDecoder(source, helper, told: WAVHeader.length(head))
      }
    // Its bytes are gone to wherever they are, however long the way.
    case .mp4 where source.isRepeatable && MP4Layout.hasIndexBehind(head: head):
      return try HelperDecoder(source, helper, goesAnywhere: true)
    case .adts, .mp4, .oggOther, .flac, .aiff, .matroska, .asf, .other:
      return try ordered(source) { () throws(DecoderError) in try HelperDecoder(source, helper) }
    }
  }

  /// A chain of one codec is the libraries' own business; where they refuse one, or only meet its parts in their turn, it is ours.
  private static func ogg(
    _ source: any ByteSource, _ window: SourceWindow, _ format: SniffedFormat, _ helper: HelperProgram
  ) throws(DecoderError) -> any Decoder {
    if source.isSeekable {
      do throws(DecoderError) {
        return format == .oggOpus ? try OpusDecoder(window) : try HelperDecoder(source, helper, isVorbis: true)
      } catch {
        guard error.code == .damaged, let chain = try chain(source, helper) else { throw error }
        return chain
      }
    }
    return try ordered(source) { () throws(DecoderError) in
      try OggChain(source) { (link) throws(DecoderError) in try part(link, helper) }
    }
  }

  /// Nil: its first part cannot be played either.
  private static func chain(
    _ source: any ByteSource, _ helper: HelperProgram
  ) throws(DecoderError) -> (any Decoder)? {
    do throws(DecoderError) {
      return try OrderedDecoder(source) { () throws(DecoderError) in
        try OggChain(source) { (link) throws(DecoderError) in try part(link, helper) }
      }
    } catch {
      switch error.code {
      case .interrupted, .source: throw error
      case .notAudio, .unsupported, .damaged, .helperDied: return nil
      }
    }
  }

  private static func part(_ link: OggLink, _ helper: HelperProgram) throws(DecoderError) -> any Decoder {
    switch try link.format() {
    case .oggOpus: return try OpusDecoder(SourceWindow(link))
    case .oggVorbis: return try HelperDecoder(link, helper, isVorbis: true)
    case .video: throw DecoderError(.unsupported, "This is a video.")
    default: return try HelperDecoder(link, helper)
    }
  }

  /// MPEG audio finds its places itself, in whatever order its bytes come; the others are helped where these come in one only.
  private static func ordered(
    _ source: any ByteSource, _ open: @escaping OrderedDecoder.Opening
  ) throws(DecoderError) -> any Decoder {
    source.isSeekable ? try open() : try OrderedDecoder(source, open)
  }
}

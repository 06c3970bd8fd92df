import Media

/// Chooses the decoder by the bytes.
public enum DecoderFactory {
  public static func open(_ source: any ByteSource, typeHint: String?) throws(DecoderError) -> any Decoder {
    throw DecoderError(.unsupported, "No decoder is built in yet.")
  }
}

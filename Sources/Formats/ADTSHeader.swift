/// The seven bytes in front of every frame of an AAC stream without a container (ISO 13818-7, 6.2).
public struct ADTSHeader: Sendable, Equatable {
  public var frameBytes: Int
  public var sampleRate: Int
  public var channels: Int

  public init?(_ bytes: ByteView) {
    guard let word = bytes.big(0, bytes: 7), word >> 44 & 0xFFF == 0xFFF, word >> 41 & 3 == 0 else { return nil }
    let rates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350]
    let rate = Int(word >> 34 & 15)
    frameBytes = Int(word >> 13 & 0x1FFF)
    channels = Int(word >> 30 & 7)
    guard rate < rates.count, frameBytes > 7 else { return nil }
    sampleRate = rates[rate]
  }
}

/// The ten bytes in front of an ID3v2 tag (id3.org, ID3v2.4.0 structure, 3.1).
public struct ID3v2Header: Sendable, Equatable {
  public static let size = 10

  public var version: Int
  public var flags: UInt8
  /// Whole sizes of the tag, header and footer included, in the order of trust: the syncsafe number where it is one, and the
  /// plain one that some writers put there.
  public var possibleSizes: [Int64]

  public var isUnsynchronised: Bool { flags & 0x80 != 0 }
  public var hasExtendedHeader: Bool { flags & 0x40 != 0 && version >= 3 }

  public init?(_ bytes: ByteView) {
    guard bytes.hasPrefix("ID3"), let version = bytes[3], let revision = bytes[4], let flags = bytes[5],
      let plain = bytes.big32(6)
    else { return nil }
    guard (2...4).contains(version), revision != 0xFF else { return nil }
    self.version = Int(version)
    self.flags = flags
    let around: Int64 = version == 4 && flags & 0x10 != 0 ? 20 : 10
    possibleSizes = []
    if let safe = bytes.syncsafe32(6) { possibleSizes.append(Int64(safe) + around) }
    if Int64(plain) + around != possibleSizes.first { possibleSizes.append(Int64(plain) + around) }
  }
}

/// One frame's header inside an ID3v2 tag: six bytes in 2.2, ten in 2.3 and 2.4.
public struct ID3v2FrameHeader: Sendable, Equatable {
  public var id: String
  /// Of the body, in the order of trust; iTunes writes plain sizes in 2.4, where they should be syncsafe.
  public var possibleSizes: [Int]
  public var flags: Int
  public var headerSize: Int

  /// Nil at the padding and where no frame is.
  public init?(_ bytes: ByteView, version: Int) {
    let letters = version == 2 ? 3 : 4
    guard let name = bytes.slice(0, letters)?.array, name.allSatisfy({ (65...90).contains($0) || (48...57).contains($0) }),
      !(48...57).contains(name[0])
    else { return nil }
    id = String(decoding: name, as: UTF8.self)
    if version == 2 {
      guard let size = bytes.big24(3) else { return nil }
      possibleSizes = [size]
      flags = 0
      headerSize = 6
    } else {
      guard let plain = bytes.big32(4).map({ Int($0) }), let flags = bytes.big16(8) else { return nil }
      let safe = version == 4 ? bytes.syncsafe32(4) : nil
      possibleSizes = safe.map { $0 == plain ? [$0] : [$0, plain] } ?? [plain]
      self.flags = flags
      headerSize = 10
    }
  }
}

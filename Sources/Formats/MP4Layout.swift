/// Where an MP4 file has its index (ISO/IEC 14496-12, 4.2 and 8.2.1).
public enum MP4Layout {
  /// The sound comes before the index that says where it is: nothing can be made of it from the beginning on.
  /// - Parameter head: the file's first bytes, from 0.
  public static func hasIndexBehind(head: ByteView) -> Bool {
    var offset = 0
    for _ in 0..<64 {
      guard let size = head.big32(offset), head.slice(offset + 4, 4) != nil else { return false }
      if head.hasPrefix("moov", at: offset + 4) { return false }
      if head.hasPrefix("mdat", at: offset + 4) { return true }
      // 1 is a size of 64 bits, 0 the rest of the file: neither stands before the index.
      guard size >= 8 else { return false }
      offset += Int(size)
    }
    return false
  }
}

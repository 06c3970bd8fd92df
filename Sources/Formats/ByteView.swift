/// Bytes from outside, read without ever trapping: what is not there is nil. Offsets count from the view's own start.
public struct ByteView: Sendable {
  private let bytes: ArraySlice<UInt8>

  public init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }
  public init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
  public init(_ buffer: UnsafeRawBufferPointer) { bytes = Array(buffer)[...] }

  public var count: Int { bytes.count }
  public var isEmpty: Bool { bytes.isEmpty }
  public var array: [UInt8] { Array(bytes) }

  public subscript(offset: Int) -> UInt8? {
    offset >= 0 && offset < bytes.count ? bytes[bytes.startIndex + offset] : nil
  }

  /// Exactly `length` bytes from `offset`, or nil.
  public func slice(_ offset: Int, _ length: Int) -> ByteView? {
    guard offset >= 0, length >= 0, offset <= bytes.count, length <= bytes.count - offset else { return nil }
    let start = bytes.startIndex + offset
    return ByteView(bytes[start..<start + length])
  }

  /// What is left from `offset` on; empty beyond the end.
  public func from(_ offset: Int) -> ByteView {
    let start = min(max(offset, 0), bytes.count)
    return ByteView(bytes[(bytes.startIndex + start)...])
  }

  public func hasPrefix(_ text: StaticString, at offset: Int = 0) -> Bool {
    guard let part = slice(offset, text.utf8CodeUnitCount) else { return false }
    return text.withUTF8Buffer { part.bytes.elementsEqual($0) }
  }

  public func firstIndex(of text: StaticString, from offset: Int = 0) -> Int? {
    let length = text.utf8CodeUnitCount
    guard length > 0, offset >= 0, bytes.count >= length, offset <= bytes.count - length else { return nil }
    return (offset...bytes.count - length).first { hasPrefix(text, at: $0) }
  }

  public func big(_ offset: Int, bytes length: Int) -> UInt64? {
    guard length <= 8, let part = slice(offset, length) else { return nil }
    return part.bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  public func little(_ offset: Int, bytes length: Int) -> UInt64? {
    guard length <= 8, let part = slice(offset, length) else { return nil }
    return part.bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  public func big16(_ offset: Int) -> Int? { big(offset, bytes: 2).map { Int($0) } }
  public func big24(_ offset: Int) -> Int? { big(offset, bytes: 3).map { Int($0) } }
  public func big32(_ offset: Int) -> UInt32? { big(offset, bytes: 4).map { UInt32($0) } }
  public func little32(_ offset: Int) -> UInt32? { little(offset, bytes: 4).map { UInt32($0) } }

  /// Four bytes of seven bits (ID3v2, 6.2); nil where a high bit is set.
  public func syncsafe32(_ offset: Int) -> Int? {
    guard let word = big32(offset), word & 0x8080_8080 == 0 else { return nil }
    return Int(word >> 3 & 0x0FE0_0000 | word >> 2 & 0x001F_C000 | word >> 1 & 0x3F80 | word & 0x7F)
  }
}

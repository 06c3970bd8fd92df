/// Reads big-endian numbers from bytes that came from outside: past the end it gives nil, never a trap.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  init(_ bytes: [UInt8]) { self.init(bytes[...]) }

  var remaining: Int { bytes.endIndex - position }
  var isAtEnd: Bool { remaining == 0 }

  mutating func byte() -> UInt8? {
    guard position < bytes.endIndex else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number<T: FixedWidthInteger & UnsignedInteger>(_: T.Type, bytes count: Int? = nil) -> T? {
    let count = count ?? T.bitWidth / 8
    guard remaining >= count else { return nil }
    var value: T = 0
    for _ in 0..<count {
      value = value << 8 | T(bytes[position])
      position += 1
    }
    return value
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, remaining >= count else { return nil }
    defer { position += count }
    return bytes[position..<position + count]
  }

  mutating func rest() -> ArraySlice<UInt8> {
    defer { position = bytes.endIndex }
    return bytes[position...]
  }
}

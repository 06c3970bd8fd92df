/// Bytes of a file in memory by their places, in pages, at most `limit` of them: what lies furthest behind the reader goes first, then what
/// lies furthest ahead. Not thread-safe: its owner locks.
struct RangeStore {
  private static let pageSize: Int64 = 16 << 10

  private(set) var held = RangeSet()
  private var pages: [Int64: [UInt8]] = [:]
  var limit: Int64

  init(limit: Int64) {
    self.limit = limit
  }

  mutating func clear() {
    held = RangeSet()
    pages = [:]
  }

  /// - Parameter reader: where the reader is; bytes near it are kept longest.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, reader: Int64) {
    var done = 0
    while done < bytes.count {
      let at = offset + Int64(done)
      let (page, within) = (at / Self.pageSize, Int(at % Self.pageSize))
      let size = min(bytes.count - done, Int(Self.pageSize) - within)
      pages[page, default: [UInt8](repeating: 0, count: Int(Self.pageSize))].withUnsafeMutableBytes { target in
        guard let source = bytes.baseAddress, let target = target.baseAddress else { return }
        (target + within).copyMemory(from: source + done, byteCount: size)
      }
      done += size
    }
    held.insert(offset..<(offset + Int64(bytes.count)))
    shrink(reader: reader)
  }

  /// How many bytes from `offset` on were copied: 0 when the first is not held.
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = Int(min(Int64(buffer.count), held.held(from: offset)))
    var done = 0
    while done < count {
      let at = offset + Int64(done)
      let within = Int(at % Self.pageSize)
      let size = min(count - done, Int(Self.pageSize) - within)
      pages[at / Self.pageSize]?.withUnsafeBytes { page in
        guard let page = page.baseAddress, let target = buffer.baseAddress else { return }
        (target + done).copyMemory(from: page + within, byteCount: size)
      }
      done += size
    }
    return count
  }

  private mutating func shrink(reader: Int64) {
    let here = reader / Self.pageSize
    while Int64(pages.count) * Self.pageSize > max(limit, 4 * Self.pageSize) {
      // A page behind is worth less than one as far ahead.
      let furthest = pages.keys.max { Self.distance($0, here) < Self.distance($1, here) }
      guard let furthest else { return }
      pages[furthest] = nil
      held.remove((furthest * Self.pageSize)..<((furthest + 1) * Self.pageSize))
    }
  }

  private static func distance(_ page: Int64, _ here: Int64) -> Int64 { page < here ? (here - page) * 4 : page - here }
}

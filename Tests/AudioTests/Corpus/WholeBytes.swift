import Media
import TestKit

/// Made bytes as a source: at hand like a kept file, or coming piece by piece like a network's.
enum WholeBytes {
  static func source(_ bytes: [UInt8]) -> MemoryByteSource { MemoryByteSource(bytes) }

  static let ways: [(name: String, options: MemoryByteSource.Options)] = [("at hand", .init()), ("network", .network)]
}

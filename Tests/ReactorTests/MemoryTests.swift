import Glibc
import TestKit
import Testing

@testable import Reactor

@Suite struct MemoryTests {
  private static let size = 8 * 4096

  /// KiB of the mapping at `address` that are in our page table.
  private static func resident(_ address: UnsafeMutableRawPointer) throws -> Int {
    let head = String(UInt(bitPattern: address), radix: 16)
    let file = try #require(fopen("/proc/self/smaps", "re"))
    defer { fclose(file) }
    var text = [UInt8](repeating: 0, count: 4 << 20)
    let lines = String(decoding: text[..<fread(&text, 1, text.count, file)], as: UTF8.self).split(separator: "\n")
    let start = try #require(lines.firstIndex { $0.split(separator: "-").first.map { $0.drop { $0 == "0" } } == head[...] })
    let rss = try #require(lines[start...].first { $0.hasPrefix("Rss:") })
    return try #require(Int(rss.split(separator: " ")[1]))
  }

  @Test("what is a copy of a file is let go of; what was written to stays, read-only or not, to its last byte")
  func release() throws {
    let folder = TemporaryFolder()
    let path = folder.file("bytes")
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(file) }
    try #require(write(file, [UInt8](repeating: 0x61, count: Self.size), Self.size) == Self.size)
    func map(_ access: Int32) throws -> UnsafeMutableRawPointer {
      let address = try #require(mmap(nil, Self.size, access, MAP_PRIVATE, file, 0))
      try #require(address != MAP_FAILED)
      return address
    }
    let (copy, changed, open) = (try map(PROT_READ), try map(PROT_READ | PROT_WRITE), try map(PROT_READ | PROT_WRITE))
    defer { for address in [copy, changed, open] { munmap(address, Self.size) } }
    for page in stride(from: 0, to: Self.size, by: 4096) {
      #expect(copy.load(fromByteOffset: page, as: UInt8.self) == 0x61)
      for address in [changed, open] { address.storeBytes(of: 0x62, toByteOffset: page, as: UInt8.self) }
    }
    // As the dynamic linker leaves what it has filled in.
    mprotect(changed, Self.size, PROT_READ)
    #expect(try Self.resident(copy) == Self.size / 1024)
    Memory.release()
    #expect(try Self.resident(copy) == 0)
    for page in stride(from: 0, to: Self.size, by: 4096) {
      #expect(copy.load(fromByteOffset: page, as: UInt8.self) == 0x61)
      for address in [changed, open] { #expect(address.load(fromByteOffset: page, as: UInt8.self) == 0x62) }
    }
  }
}

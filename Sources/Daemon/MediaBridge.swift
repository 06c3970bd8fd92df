import Glibc
import HTTP
import IPX
import Library
import Media
import Reactor
import Synchronization

/// STOPGAP until Media's HTTPByteSource.
final class WholeFile: ByteSource {
  let data = Mutex<[UInt8]?>(nil)
  let failed = Mutex<String?>(nil)
  init(_ http: HTTPClient, _ request: HTTPRequest) {
    Task {
      do {
        let r = try await http.send(request)
        self.data.withLock { $0 = r.body }
      } catch { self.failed.withLock { $0 = "\(error)" } }
    }
  }
  var length: Int64? { data.withLock { $0.map { Int64($0.count) } } }
  var isSeekable: Bool { true }
  func held(from offset: Int64) -> Int64 { max(0, (length ?? 0) - offset) }
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int {
    while length == nil {
      if let e = failed.withLock({ $0 }) { throw ByteSourceError(.offline, e) }
      usleep(1000)
    }
    return data.withLock { d in
      let d = d ?? []
      let n = max(0, min(buffer.count, d.count - Int(offset)))
      if n > 0 {
        d.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<(Int(offset) + n)])) }
      }
      return n
    }
  }
  func interrupt() {}
  func resume() {}
  func setReadAhead(_ bytes: Int64) {}
  func close() {}
}

struct MediaBridge: MediaAccess {
  let http: HTTPClient
  let timekeeper: any Timekeeper
  func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource {
    WholeFile(http, HTTPRequest(url: url, maximumBody: 1 << 30))
  }
  func file(_ path: String) throws(LibraryError) -> any ByteSource { throw LibraryError(.invalid, "no") }
  func fetch(url: String, client: APIClient, to path: String, progress: @escaping @Sendable (Int64, Int64?) -> Void)
    async throws(KeepError) -> Int64
  { throw KeepError(.refused, "no") }
}
struct ForeignSources {
  let http: HTTPClient
  let timekeeper: any Timekeeper
  @Sendable func open(_ url: String) throws(LibraryError) -> any ByteSource {
    WholeFile(http, HTTPRequest(url: url, maximumBody: 1 << 30))
  }
}

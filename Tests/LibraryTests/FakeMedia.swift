import Glibc
import IPX
import Library
import Media
import Reactor
import Synchronization

/// Files of the fake server, and how far their fetching goes.
final class FakeMedia: MediaAccess {
  struct State {
    /// What the next fetches come to; nil: they succeed.
    var failure: KeepError?
    var fetched: [String] = []
    var running = 0
    var mostAtOnce = 0
    var isHeld = false
    /// What held ones come to when they are released.
    var failsWhenReleased: KeepError?
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let state = Mutex(State())
  let bytes = 1000

  func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource { FakeSource(url) }

  func file(_ path: String) throws(LibraryError) -> any ByteSource {
    guard access(path, R_OK) == 0 else { throw LibraryError(.notFound, "There is no \(path).") }
    return FakeSource(path)
  }

  func fetch(
    url: String, client: APIClient, to path: String, progress: @escaping @Sendable (Int64, Int64?) -> Void
  ) async throws(KeepError) -> Int64 {
    let failure = state.withLock { state in
      state.fetched.append(url)
      state.running += 1
      state.mostAtOnce = max(state.mostAtOnce, state.running)
      return state.failure
    }
    defer { state.withLock { $0.running -= 1 } }
    if let failure { throw failure }
    for held in stride(from: 100, through: bytes, by: 100) { progress(Int64(held), Int64(bytes)) }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        if state.isHeld { state.waiters.append(continuation) }
        return !state.isHeld
      }
      if goesOn { continuation.resume() }
    }
    if let failure = state.withLock({ $0.failsWhenReleased }) { throw failure }
    guard let file = fopen(path, "w") else { throw KeepError(.diskFull, "no room") }
    fwrite([UInt8](repeating: 1, count: bytes), 1, bytes, file)
    fclose(file)
    return Int64(bytes)
  }

  func hold() { state.withLock { $0.isHeld = true } }

  func releaseFirst() { state.withLock { $0.waiters.removeFirst() }.resume() }

  func release() {
    let waiters = state.withLock { state in
      state.isHeld = false
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}

final class FakeSource: ByteSource {
  let name: String
  init(_ name: String) { self.name = name }
  var length: Int64? { 1000 }
  var isSeekable: Bool { true }
  func held(from offset: Int64) -> Int64 { 1000 - offset }
  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(ByteSourceError) -> Int { 0 }
  func interrupt() {}
  func resume() {}
  func setReadAhead(_ bytes: Int64) {}
  func close() {}
}

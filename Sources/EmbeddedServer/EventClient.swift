import CMicrohttpd
import Synchronization

/// One listener's connection: what it has not been sent yet. Its connection sleeps (is suspended) while there is nothing.
final class EventClient: Sendable {
  /// A pointer that goes between threads; libmicrohttpd allows resuming from any.
  private struct Connection: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private struct State {
    var pending: [UInt8] = []
    var sleeping: Connection?
    var closed = false
  }

  private let state = Mutex(State())

  /// Who lets this much pile up is cut off, and comes back with its `Last-Event-ID`.
  private static let mostPending = 1 << 20

  func send(_ bytes: [UInt8]) {
    state.withLock { state in
      guard !state.closed else { return }
      state.pending += bytes
      if state.pending.count > Self.mostPending { state.closed = true }
      Self.wake(&state)
    }
  }

  func close() {
    state.withLock { state in
      state.closed = true
      Self.wake(&state)
    }
  }

  /// Called on the server's thread when the connection can take more: fills `buffer`, or puts the connection to sleep.
  func read(into buffer: UnsafeMutableRawBufferPointer, connection: OpaquePointer) -> Int {
    let handle = Connection(pointer: connection)
    return state.withLock { state in
      if state.closed { return cmhd_end_of_stream }
      guard !state.pending.isEmpty else {
        // Under the lock: whoever sends next either finds it asleep or comes before it lies down.
        MHD_suspend_connection(handle.pointer)
        state.sleeping = handle
        return 0
      }
      let count = min(buffer.count, state.pending.count)
      buffer.copyBytes(from: state.pending[..<count])
      state.pending.removeFirst(count)
      return count
    }
  }

  private static func wake(_ state: inout State) {
    guard let connection = state.sleeping else { return }
    state.sleeping = nil
    MHD_resume_connection(connection.pointer)
  }
}

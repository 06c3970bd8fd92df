import CCurl
import CLinux
import Dispatch
import Glibc
import Reactor
import Synchronization

/// Tells a queue whenever something in an epoll set is ready, once until `rearm`. A Dispatch source would do the same, but wake Dispatch's
/// manager thread twice each time: for what has come, and to be armed again.
final class PollSetWatch: Sendable {
  private let outer: Int32
  private let end: Int32
  private let watched: Int32
  private let queue: DispatchQueue
  private let onReady: @Sendable () -> Void
  private let isEnded = Mutex(false)

  /// Owns `set` from now on, and closes it at the end.
  /// - Returns: nil without descriptors or a thread; `set` is closed then too.
  init?(_ set: Int32, on queue: DispatchQueue, onReady: @escaping @Sendable () -> Void) {
    (outer, end, watched) = (ccurl_epoll_create(), clinux_eventfd(), set)
    (self.queue, self.onReady) = (queue, onReady)
    guard outer >= 0, end >= 0, ccurl_epoll_set(outer, end, CURL_POLL_IN, 1) == 0, ccurl_epoll_once(outer, set, 1) == 0 else {
      closeAll()
      return nil
    }
    do {
      try OwnThread.start("http") { self.run() }
    } catch {
      closeAll()
      return nil
    }
  }

  /// From now on it is told of again: at once where something is ready still.
  func rearm() {
    isEnded.withLock { isEnded in
      if !isEnded { _ = ccurl_epoll_once(outer, watched, 0) }
    }
  }

  /// Nothing is told of any more, but what is on its way to the queue.
  func cancel() {
    isEnded.withLock { isEnded in
      guard !isEnded else { return }
      isEnded = true
      var one: UInt64 = 1
      _ = write(end, &one, 8)
    }
  }

  private func run() {
    while ccurl_epoll_wait(outer) >= 0 || errno == EINTR {
      if isEnded.withLock({ $0 }) { break }
      queue.async(execute: onReady)
    }
    isEnded.withLock { $0 = true }
    closeAll()
  }

  private func closeAll() {
    for descriptor in [outer, end, watched] where descriptor >= 0 { close(descriptor) }
  }
}

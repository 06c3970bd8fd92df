import CLinux
import Dispatch
import Glibc
import Reactor
import Synchronization

/// Tells when something in the folders added to it came, went or was written (inotify). Costs nothing while nothing does.
final class TreeWatch: Sendable {
  /// Dispatch's own objects may go between threads, but do not say so.
  private struct Source: @unchecked Sendable {
    let dispatch: any DispatchSourceRead
  }

  private struct State {
    var source: Source?
    var pending: (any Alarm)?
    var blind = false
  }

  private let timekeeper: any Timekeeper
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.folder-watch")
  private let state = Mutex(State())

  /// A copy in progress writes many times; the folder is read once it has been quiet this long.
  private static let quiet = Duration.milliseconds(300)

  init(timekeeper: any Timekeeper) {
    self.timekeeper = timekeeper
    descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if descriptor < 0 { turnBlind("Folders cannot be watched") }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether changes may go unseen, because the kernel has no more watches for this user.
  var isBlind: Bool { state.withLock { $0.blind } }

  func add(_ folder: String) {
    guard descriptor >= 0 else { return }
    let mask = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR
    if inotify_add_watch(descriptor, folder, UInt32(mask)) < 0, errno == ENOSPC {
      turnBlind("More folders than may be watched")
    }
  }

  func begin(_ changed: @escaping @Sendable () -> Void) {
    guard descriptor >= 0 else { return }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      guard let self else { return }
      drain()
      let alarm = timekeeper.alarm(after: Self.quiet, leeway: .milliseconds(100), on: queue, changed)
      state.withLock { state in
        state.pending?.cancel()
        state.pending = alarm
      }
    }
    let handle = Source(dispatch: source)
    state.withLock { $0.source = handle }
    source.activate()
  }

  func end() {
    state.withLock { state in
      state.pending?.cancel()
      state.source?.dispatch.cancel()
      (state.pending, state.source) = (nil, nil)
    }
    // Whatever the source was doing is over before the descriptor may go.
    queue.sync {}
  }

  /// What exactly changed does not matter: the folder is read as a whole, and only what is new costs anything.
  private func drain() {
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
    }
  }

  private func turnBlind(_ why: String) {
    let first = state.withLock { state in
      defer { state.blind = true }
      return !state.blind
    }
    if first {
      Log.warning("\(why): \(String(cString: strerror(errno))). The folder is looked through whenever it is asked for.")
    }
  }
}

import CLinux
import Dispatch
import Glibc
import Synchronization

/// Says when the network may have come (back): a link, an address or a route appeared. By netlink, without polling; the socket is open only
/// while somebody listens, so whoever has no need costs nothing.
public final class NetworkWatch: Sendable {
  public static let shared = NetworkWatch()

  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
    var source: (any DispatchSourceRead)?
  }

  private let listens: Bool
  private let state = Mutex(State())
  private let queue = QuietTasks.queue("network-watch", .front)

  /// - Parameter listens: false: only `announce` says anything (for tests).
  public init(listens: Bool = true) {
    self.listens = listens
  }

  /// `action` is called on a queue of the watch, until the subscription is let go of or cancelled.
  public func subscribe(_ action: @escaping @Sendable () -> Void) -> Subscription {
    let number = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = action
      if state.source == nil, listens { state.source = open() }
      return state.next
    }
    return Subscription(watch: self, number: number)
  }

  /// Tells all who listen, as if the network had come; whoever knows it otherwise (resume from suspend) may say so.
  public func announce() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
  }

  public final class Subscription: Sendable {
    private let watch: NetworkWatch
    private let number: Int

    fileprivate init(watch: NetworkWatch, number: Int) {
      self.watch = watch
      self.number = number
    }

    public func cancel() { watch.remove(number) }
    deinit { cancel() }
  }

  private func remove(_ number: Int) {
    state.withLock { state in
      state.listeners[number] = nil
      guard state.listeners.isEmpty else { return }
      state.source?.cancel()
      state.source = nil
    }
  }

  private func open() -> (any DispatchSourceRead)? {
    let descriptor = clinux_network_changes()
    guard descriptor >= 0 else { return nil }
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { [weak self] in
      if clinux_network_has_come(descriptor) != 0 { self?.announce() }
    }
    source.setCancelHandler { close(descriptor) }
    source.activate()
    return source
  }
}

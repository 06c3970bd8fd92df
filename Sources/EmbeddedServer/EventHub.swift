import Dispatch
import Reactor
import Synchronization

/// `/api/events`: everybody who listens, and the last events for those who come back. Without listeners nothing ticks.
final class EventHub: Sendable {
  private struct State {
    /// The latest events as sent, the oldest first; the last one's number is `count`.
    var recent: [[UInt8]] = []
    var count: Int64 = 0
    var clients: [ObjectIdentifier: EventClient] = [:]
    var heartbeat: (any Alarm)?
    var closed = false
  }

  private let run: String
  private let timekeeper: any Timekeeper
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.served-events")
  private let state = Mutex(State())

  private static let remembered = 1000
  /// The API promises a comment at least every 30 s.
  static let heartbeat = Duration.seconds(25)

  init(run: String, timekeeper: any Timekeeper) {
    (self.run, self.timekeeper) = (run, timekeeper)
  }

  var listeners: Int { state.withLock { $0.clients.count } }

  func publish(_ event: StaticString, _ data: [UInt8]) {
    state.withLock { state in
      state.count += 1
      let head = "event: \(event)\nid: \(SyncMark(run: run, count: state.count).text)\ndata: "
      let bytes = Array(head.utf8) + data + Array("\n\n".utf8)
      state.recent.append(bytes)
      if state.recent.count > Self.remembered { state.recent.removeFirst(state.recent.count - Self.remembered) }
      for client in state.clients.values { client.send(bytes) }
    }
  }

  /// A new listener: told what came after `id` as far as that is remembered, then everything.
  func attach(after id: String?) -> EventClient {
    let client = EventClient()
    state.withLock { state in
      guard !state.closed else { return client.close() }
      let now = "id: \(SyncMark(run: run, count: state.count).text)\n\n"
      client.send(Array("retry: 1000\n\n".utf8))
      if let mark = id.flatMap({ SyncMark($0) }), mark.run == run, mark.count <= state.count,
        state.count - mark.count <= Int64(state.recent.count)
      {
        for bytes in state.recent.suffix(Int(state.count - mark.count)) { client.send(bytes) }
        if mark.count == state.count { client.send(Array(now.utf8)) }
      } else {
        // Even who has heard nothing yet is given a place to come back to.
        client.send(Array(((id == nil ? "" : ": what came meanwhile is no longer known\n") + now).utf8))
      }
      state.clients[ObjectIdentifier(client)] = client
      if state.heartbeat == nil { state.heartbeat = nextHeartbeat() }
    }
    return client
  }

  func detach(_ client: EventClient) {
    client.close()
    state.withLock { state in
      state.clients[ObjectIdentifier(client)] = nil
      guard state.clients.isEmpty else { return }
      state.heartbeat?.cancel()
      state.heartbeat = nil
    }
  }

  /// Ends every stream. None may be suspended when the HTTP server stops.
  func close() {
    state.withLock { state in
      state.closed = true
      state.heartbeat?.cancel()
      state.heartbeat = nil
      for client in state.clients.values { client.close() }
    }
  }

  private func nextHeartbeat() -> any Alarm {
    timekeeper.alarm(after: Self.heartbeat, leeway: .seconds(3), on: queue) { [weak self] in self?.beat() }
  }

  private func beat() {
    state.withLock { state in
      state.heartbeat = nil
      guard !state.clients.isEmpty, !state.closed else { return }
      // It also finds out who has gone: a suspended connection is not watched for its end.
      for client in state.clients.values { client.send(Array(": still here\n\n".utf8)) }
      state.heartbeat = nextHeartbeat()
    }
  }
}

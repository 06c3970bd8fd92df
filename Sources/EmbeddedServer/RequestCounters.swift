import CMicrohttpd
import Synchronization

/// How often each path was asked for and how much went out for it, headers included, as the peer's kernel took it:
/// what a client that hung up never received is not counted.
public final class RequestCounters: Sendable {
  public struct Count: Sendable, Hashable {
    public var requests = 0
    public var bytes: UInt64 = 0
  }

  private struct Transfer {
    var path: String
    var socket: Int32
    var before: UInt64
  }

  private struct State {
    var counts: [String: Count] = [:]
    var transfers: [ObjectIdentifier: Transfer] = [:]
  }

  private let state = Mutex(State())

  /// Counts by path, transfers under way included.
  public var counts: [String: Count] {
    state.withLock { state in
      var counts = state.counts
      for transfer in state.transfers.values {
        counts[transfer.path, default: Count()].bytes += Self.since(transfer, whole: false)
      }
      return counts
    }
  }

  func begin(_ key: ObjectIdentifier, path: String, socket: Int32) {
    state.withLock { state in
      // Paths are the callers' to invent; there is an end to those we remember.
      let path = state.counts[path] != nil || state.counts.count < 10_000 ? path : "others"
      state.counts[path, default: Count()].requests += 1
      state.transfers[key] = Transfer(path: path, socket: socket, before: cmhd_bytes_sent(socket, 1))
    }
  }

  /// `whole`: everything was handed to the kernel, and what it still holds will go out.
  func end(_ key: ObjectIdentifier, whole: Bool) {
    state.withLock { state in
      guard let transfer = state.transfers.removeValue(forKey: key) else { return }
      state.counts[transfer.path, default: Count()].bytes += Self.since(transfer, whole: whole)
    }
  }

  private static func since(_ transfer: Transfer, whole: Bool) -> UInt64 {
    let now = cmhd_bytes_sent(transfer.socket, whole ? 1 : 0)
    return now > transfer.before ? now - transfer.before : 0
  }

  var json: [UInt8] {
    let counts = counts
    return JSONWriter.object { writer in
      writer.key("requests")
      writer.value(counts.values.reduce(0) { $0 + $1.requests })
      writer.key("bytes")
      writer.value(Int64(clamping: counts.values.reduce(UInt64(0)) { $0 + $1.bytes }))
      writer.key("paths")
      writer.array { writer in
        for (path, count) in counts.sorted(by: { $0.key < $1.key }) {
          writer.object {
            $0.key("path")
            $0.value(path)
            $0.key("requests")
            $0.value(count.requests)
            $0.key("bytes")
            $0.value(Int64(clamping: count.bytes))
          }
        }
      }
    }
  }
}

import Synchronization

/// Brings together who plays a file and who keeps it, so that neither fetches what the other has. The player's memory stays the player's to
/// let go of; what is on the disk can be read for as long as the player wants it, whatever becomes of the download.
public final class SharedBytes: Sendable {
  private struct State {
    /// The last file that was opened to be played.
    var url = ""
    weak var player: HTTPByteSource?
    /// Of the files that are being kept now.
    var parts: [String: HeldPart] = [:]
  }

  private let state = Mutex(State())

  public init() {}

  public func plays(_ source: HTTPByteSource) {
    let part = state.withLock { state in
      (state.url, state.player) = (source.url, source)
      return state.parts[source.url]
    }
    if let part { source.share(part) }
  }

  func player(of url: String) -> HTTPByteSource? { state.withLock { $0.url == url ? $0.player : nil } }

  func keeps(_ part: HeldPart, of url: String) {
    state.withLock { $0.parts[url] = part }
    player(of: url)?.share(part)
  }

  func keepsNoMore(_ url: String) {
    state.withLock { $0.parts[url] = nil }
  }
}

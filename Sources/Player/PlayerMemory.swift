import FoundationEssentials
import Reactor

/// What the player remembers across restarts, kept by the library as text.
struct PlayerMemory: Codable, Equatable, Sendable {
  static let key = "player"

  var model = QueueModel()
  var rate = 1.0
  /// By feed, where each keeps its own.
  var rates: [String: Double] = [:]
  /// Of a foreign file, in its own time: the library keeps none for it.
  var foreignPlace: MediaTime?

  init() {}

  init?(text: String) {
    do {
      self = try JSONDecoder().decode(PlayerMemory.self, from: Data(text.utf8))
    } catch {
      Log.warning("The remembered queue cannot be read, it starts empty: \(error)")
      return nil
    }
  }

  var text: String? {
    do {
      return String(decoding: try JSONEncoder().encode(self), as: UTF8.self)
    } catch {
      Log.warning("The queue cannot be remembered: \(error)")
      return nil
    }
  }
}

import Reactor
import TestKit

@testable import Store

/// A store in a folder of its own, made from a seed.
struct MadeStore {
  let folder = TemporaryFolder()
  let day = WallTime(unixSeconds: 1_790_000_000)

  func open(_ name: String = "s") -> Store { Store.open(folder: folder.file(name), stamp: day) }

  func filled(_ count: Int, feeds: Int = 5, in name: String = "s") throws -> Store {
    let store = open(name)
    var library = MadeLibrary(seed: 1, feeds: feeds)
    try store.apply(feeds: library.feeds)
    for start in stride(from: 0, to: count, by: 200) {
      _ = try store.apply(entries: library.entries(start..<min(count, start + 200)), sweep: 1)
    }
    return store
  }
}

import Audio
import Library
import Media
import Reactor

/// Measures kept episodes for even loudness: once each, one at a time, in the background, when they have been kept. The library remembers.
actor LoudnessSurvey {
  private let library: any LibraryService
  private var waiting: [ItemID] = []
  private var isAtWork = false

  init(_ library: any LibraryService) { self.library = library }

  private static func key(_ id: ItemID) -> String { "loudness.\(id.text)" }

  /// What was measured of that very file; nil: nothing yet.
  func known(_ id: ItemID, bytes: Int64?) async -> ReplayGainTags? {
    guard let text = await library.remembered(Self.key(id)) else { return nil }
    let words = text.split(separator: " ")
    guard words.count == 3, let gain = Double(words[0]), let peak = Double(words[1]), Int64(words[2]) == bytes else { return nil }
    return ReplayGainTags(gain: gain, peak: peak)
  }

  func forget(_ id: ItemID) async {
    waiting.removeAll { $0 == id }
    if await library.remembered(Self.key(id)) != nil { await library.remember(Self.key(id), nil) }
  }

  /// Everything that is kept.
  func lookAtAll() async {
    var offset = 0
    while let page = try? await library.children(of: "kept", offset: offset, limit: 100, maximumRootFolders: 4),
      !page.items.isEmpty
    {
      for item in page.items where item.kept == .kept { look(at: item.id) }
      offset += page.items.count
      if offset >= page.total { break }
    }
  }

  func look(at id: ItemID) {
    guard !waiting.contains(id) else { return }
    waiting.append(id)
    guard !isAtWork else { return }
    isAtWork = true
    Task { await self.work() }
  }

  private func work() async {
    while !waiting.isEmpty {
      await measure(waiting.removeFirst())
    }
    isAtWork = false
  }

  private func measure(_ id: ItemID) async {
    guard let file = await library.keptFile(of: id) else { return }
    defer { file.close() }
    guard let bytes = file.length, await known(id, bytes: bytes) == nil else { return }
    // What cannot be measured stays as it is; remembered too, not to be tried again.
    let told = await LoudnessMeter.measure(file) ?? ReplayGainTags(gain: 0, peak: 1)
    await library.remember(Self.key(id), "\(told.gain) \(told.peak ?? 1) \(bytes)")
  }
}

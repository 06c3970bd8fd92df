import Library
import Reactor

/// Seek, SetPosition and chapters.
extension Player {
  public func seek(by offset: MediaTime) async {
    await enter()
    defer { leave() }
    await seekNow(to: place + offset)
    publish()
  }

  public func setPosition(entry: UInt64, _ target: MediaTime) async {
    await enter()
    defer { leave() }
    guard let current, current.entry.number == entry, target >= .zero, target <= current.now.length ?? target else { return }
    await seekNow(to: target)
    publish()
  }

  public func goToChapter(_ index: Int) async throws(LibraryError) {
    await enter()
    defer { leave() }
    guard let chapters = current?.now.chapters, chapters.indices.contains(index) else {
      throw LibraryError(.invalid, "There is no such chapter.")
    }
    await seekNow(to: chapters[index].start)
    publish()
  }

  /// Before the beginning is the beginning; past the end is the next episode, whatever Next means.
  func seekNow(to target: MediaTime) async {
    guard let current, current.now.isSeekable else { return }
    let target = max(.zero, target)
    if let length = current.now.length, target >= length { return await nextEpisode() }
    if current.isAtEnd {
      // What ended is loaded anew at Play.
      send { await $0.unload() }
      forgetEngine()
      self.current?.isAtEnd = false
    }
    seeks += 1
    touch()
    if current.token != nil, self.current?.token != nil {
      seekInEngine(to: target)
    } else {
      self.current?.target = current.original(target)
    }
    awaitLanding(at: target)
    save(target)
    sleepChapterEnd = chapterEnd(at: target)
    setMarks()
    reviewPrepared()
    jumped()
  }

  func seekInEngine(to target: MediaTime) {
    if let pendingTarget { overtakenTargets.append(pendingTarget) }
    pendingTarget = target
    current?.asked = target
    hearing.begin(at: target, timekeeper.now())
    send { await $0.seek(to: target) }
  }

  /// Whether the engine landed where nobody wants to be any more: a later seek is on its way.
  func isOvertaken(_ landing: MediaTime) -> Bool {
    let error = abs(landing.seconds - place.seconds)
    return overtakenTargets.contains { abs($0.seconds - landing.seconds) < error }
  }

  func forgetTargets() {
    pendingTarget = nil
    overtakenTargets = []
  }

  /// The end of the chapter at `place`; nil for the last one, and where there are none.
  func chapterEnd(at place: MediaTime) -> MediaTime? {
    current?.now.chapters.first { $0.start > place }?.start
  }

  var chapterIndex: Int? {
    guard let chapters = current?.now.chapters, !chapters.isEmpty else { return nil }
    // A mark rings a little early or late: what begins within a moment has begun.
    let place = self.place + MediaTime(microseconds: 50_000)
    return chapters.lastIndex { $0.start <= place }
  }

  func jumped() { hasJumped = true }
}

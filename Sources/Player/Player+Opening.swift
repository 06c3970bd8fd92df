import Audio
import Library
import Media

/// An address that somebody else names is looked at before what plays is let go of for it: the host may not be there, and what it gives no
/// sound. Looking takes as long as the network does; no other command waits for that.
extension Player {
  /// - Returns: the address as it is opened, its bytes, of which the first are there, and which choice of the listener's this is.
  /// - Throws: why it cannot be played, and what plays goes on.
  func audible(_ text: String) async throws(LibraryError) -> (url: String, source: any ByteSource, choice: UInt64) {
    let url = try ForeignAddress.check(text)
    let source = try foreignSource(url)
    choices += 1
    let choice = choices
    try await hear(source)
    return (url, source, choice)
  }

  /// The same of what is to stand in the queue for now: nothing is chosen by it. One is looked at after the other, and so they are there in
  /// the order they were asked for; no other command waits for that either.
  func audibleLater(_ text: String) async throws(LibraryError) -> QueueEntry {
    let url = try ForeignAddress.check(text)
    let source = try foreignSource(url)
    defer { source.close() }
    let before = lastLook
    let (done, end) = AsyncStream.makeStream(of: Void.self)
    lastLook = done
    defer { end.finish() }
    if let before {
      for await _ in before {}
    }
    try await hear(source)
    return model.makeEntry(.foreign(url: url), title: ForeignAddress.title(of: url), show: "", length: nil)
  }

  /// - Throws: why it cannot be played; it is closed then.
  private func hear(_ source: any ByteSource) async throws(LibraryError) {
    guard let problem = await examine(source) else { return }
    source.close()
    throw Self.refusal(problem)
  }

  /// - Throws: when something else was chosen meanwhile.
  func entry(of url: String, _ source: any ByteSource, _ choice: UInt64) throws(LibraryError) -> QueueEntry {
    guard choice == choices else {
      source.close()
      throw LibraryError(.invalid, "Something else was chosen before this was there.")
    }
    let entry = model.makeEntry(.foreign(url: url), title: ForeignAddress.title(of: url), show: "", length: nil)
    examined?.source.close()
    examined = (entry.number, source)
    return entry
  }

  /// The bytes of an entry that was looked at, once: whoever loads it again opens them anew.
  func takeExamined(_ entry: UInt64) -> (any ByteSource)? {
    guard let held = examined, held.entry == entry else { return nil }
    let source = held.source
    examined = nil
    return source
  }

  private static func refusal(_ problem: AudioError) -> LibraryError {
    switch problem.code {
    case .offline: LibraryError(.offline, problem.description)
    case .notAudio, .unsupported, .damaged, .gone, .signedOut, .noSoundServer, .helperDied:
      LibraryError(.notPlayable, problem.description)
    }
  }
}

import HTTP
import Reactor

// What comes, on the client's queue.
extension HTTPByteSource {
  /// False ends the transfer; `flight.outcome` says why.
  func began(_ flight: Flight, _ head: HTTPHead) -> Bool {
    monitor.withLock { state in
      guard isWanted(flight, state) else { return false }
      flight.hasHead = true
      flight.outcome = judge(&state, flight, head)
      return flight.outcome == nil
    }
  }

  private func isWanted(_ flight: Flight, _ state: State) -> Bool {
    !state.isClosed && (state.flight === flight || state.orphans.contains { $0 === flight })
  }

  private func judge(_ state: inout State, _ flight: Flight, _ head: HTTPHead) -> Flight.Outcome? {
    if IdentityProvider.isSignIn(head.finalURL) { return .refused }
    switch head.status {
    case 206: return judgePart(&state, flight, head)
    case 200: return judgeWhole(&state, flight, head)
    case 416: return judgeBeyond(&state, flight, head)
    case 401, 403:
      // A refusal by whoever we were sent on to says nothing about our own sign-in.
      if credentials != nil, HTTPOrigin(head.finalURL) == HTTPOrigin(url) { return .refused }
      return .failed(ByteSourceError(.gone, "\(host) refuses this file (\(head.status))."))
    case 408, 425, 429, 500...599:
      return .fault("\(host) cannot serve this now (\(head.status)).", after: head.retryAfter)
    default:
      return .failed(ByteSourceError(.gone, "\(host) does not have this file (\(head.status))."))
    }
  }

  private func judgePart(_ state: inout State, _ flight: Flight, _ head: HTTPHead) -> Flight.Outcome? {
    // A part of a packed file cannot be unpacked.
    guard flight.takesAsIs || head.contentEncoding == nil else {
      state.avoidsRange = true
      return badRange(&state)
    }
    guard let range = ContentRange(head["Content-Range"]), let bytes = range.bytes else { return badRange(&state) }
    let version = FileVersion(head, length: range.total)
    guard state.identity.judge(version) == .same else { return changed }
    guard bytes.lowerBound == flight.from, !state.avoidsRange else { return badRange(&state) }
    flight.version = version
    if flight.from == 0 { flight.beginning = [] } else { accept(&state, flight, version) }
    state.rangesWork = true
    state.badRanges = 0
    return nil
  }

  private func judgeWhole(_ state: inout State, _ flight: Flight, _ head: HTTPHead) -> Flight.Outcome? {
    flight.isWhole = true
    flight.position = 0
    flight.beginning = []
    let version = FileVersion(head, length: flight.takesAsIs || head.contentEncoding == nil ? head.contentLength : nil)
    flight.version = version
    // All of it came because the ETag was another one; where that says nothing, the part is asked for without it.
    if flight.isConditional, state.rangesWork, state.identity.seesThrough(version) { return .again }
    state.rangesWork = false
    return nil
  }

  private func judgeBeyond(_ state: inout State, _ flight: Flight, _ head: HTTPHead) -> Flight.Outcome? {
    guard let total = ContentRange(head["Content-Range"])?.total, flight.from >= total else { return badRange(&state) }
    if let length = state.version?.length, length != total { return changed }
    if total == 0 { return .failed(ByteSourceError(.notMedia, "The file at \(host) is empty.")) }
    state.end = total
    return .again
  }

  private func badRange(_ state: inout State) -> Flight.Outcome {
    state.badRanges += 1
    if state.badRanges >= 2 { state.avoidsRange = true }
    return state.badRanges < 4 ? .again : .fault("\(host) sends other bytes than it was asked for.", after: nil)
  }

  private var changed: Flight.Outcome {
    .failed(ByteSourceError(.changed, "The file at \(host) is another one now."))
  }

  private func accept(_ state: inout State, _ flight: Flight, _ version: FileVersion) {
    state.identity.learn(version)
    state.wasRefused = false
  }

  /// Nil ends the transfer; false: later.
  func received(_ flight: Flight, _ bytes: UnsafeRawBufferPointer) -> Bool? {
    monitor.withLock { state in
      guard isWanted(flight, state) else { return nil }
      state.progress += Int64(bytes.count)
      state.silences = 0
      guard var beginning = flight.beginning else { return take(&state, flight, bytes) }
      beginning.append(contentsOf: bytes)
      flight.beginning = beginning
      guard beginning.count >= BodySniffer.length else { return true }
      return acceptBeginning(&state, flight) ? true : nil
    }
  }

  /// The first bytes of the file are there: is it media, and the same as before?
  private func acceptBeginning(_ state: inout State, _ flight: Flight) -> Bool {
    guard let beginning = flight.beginning else { return true }
    flight.beginning = nil
    if BodySniffer.isText(beginning) {
      let what = beginning.isEmpty ? "nothing" : "a page or text"
      flight.outcome =
        state.version == nil
        ? .failed(ByteSourceError(.notMedia, "\(host) sent \(what) instead of sound."))
        : .fault("\(host) sent \(what) instead of sound: a sign-in page of this network, perhaps.", after: nil)
      return false
    }
    let version = flight.version ?? FileVersion()
    if state.identity.judge(version) == .another {
      flight.outcome = changed
      return false
    }
    accept(&state, flight, version)
    return beginning.withUnsafeBytes { take(&state, flight, $0, mayPause: false) }
  }

  private func take(_ state: inout State, _ flight: Flight, _ bytes: UnsafeRawBufferPointer, mayPause: Bool = true) -> Bool {
    let end = flight.position + Int64(bytes.count)
    if flight.isWhole, mayPause, flight.position > state.reader,
      state.store.held.held(from: state.reader) + Int64(bytes.count) > max(state.readAhead, 64 << 10)
    {
      flight.isPaused = true
      return false
    }
    if mayPause, rests(state, flight) { return false }
    // Of a whole file, what lies before the reader is only passed through, but for what a decoder looks back at.
    if !flight.isWhole || end > state.reader - Self.lookingBack {
      state.store.write(bytes, at: flight.position, reader: state.reader)
    }
    // What was there before, or lies before the byte that was asked for, is no progress.
    flight.progress += max(0, end - max(flight.position, flight.from))
    // At once: a listener who jumps leaves transfers that would have come to a good end.
    if flight.isProgress { state.backOff.reset() }
    flight.position = end
    flight.received += Int64(bytes.count)
    if state.flight === flight { state.reached = end }
    if state.isWaiting, state.store.held.held(from: state.reader) > 0 { monitor.wake() }
    return true
  }

  /// Nobody waits for these bytes for a while: rather than be woken for every few packets, let them gather with the kernel.
  private func rests(_ state: State, _ flight: Flight) -> Bool {
    guard !flight.isWhole, !state.isWaiting, state.store.held.held(from: state.reader) >= state.readAhead / 4 else {
      return false
    }
    guard timekeeper.now() > flight.awakeUntil else { return false }
    flight.isPaused = true
    flight.rest = timekeeper.alarm(after: Self.rest, leeway: Self.rest / 2, on: .callbacks) { [weak self, weak flight] in
      guard let self, let flight else { return }
      monitor.withLock { _ in goOn(flight) }
    }
    return true
  }

  private static let rest = Duration.milliseconds(40)
  private static let lookingBack: Int64 = 128 << 10

  func finished(_ flight: Flight, _ result: Result<HTTPHead, HTTPError>) {
    monitor.withLock { state in
      state.orphans.removeAll { $0 === flight }
      guard state.flight === flight else { return }
      if case .success = result, flight.outcome == nil, flight.beginning != nil { _ = acceptBeginning(&state, flight) }
      state.flight = nil
      settle(&state, flight, result)
      if state.isWaiting { monitor.wake() }
    }
  }

  private func settle(_ state: inout State, _ flight: Flight, _ result: Result<HTTPHead, HTTPError>) {
    switch (flight.outcome, result) {
    case (.again, _): proceed(&state)
    case (.failed(let error), _): fail(&state, error)
    case (.fault(let sentence, let after), _): fault(&state, sentence, after: after, hadProgress: false)
    case (.refused, _):
      if state.wasRefused {
        state.wasRefused = false
        state.knownCredentials = nil
        fail(&state, ByteSourceError(.signedOut, "Sign in again."))
      } else {
        state.wasRefused = true
        ask(&state, afterRefusal: true)
      }
    case (nil, .success): complete(&state, flight)
    case (nil, .failure(let error)) where error.code == .packing && flight.received == 0 && !flight.takesAsIs:
      // Plain bytes under a false name: they are asked for as they are, in parts again.
      (state.takesAsIs, state.avoidsRange, state.badRanges) = (true, false, 0)
      state.needsFreshConnection = true
      proceed(&state)
    case (nil, .failure(let error)):
      if error.code == .badURL || error.code == .refusedRedirect || error.code == .tooManyRedirects {
        fail(&state, ByteSourceError(.gone, error.description))
      } else {
        fault(
          &state, error.description, after: nil, hadProgress: flight.isProgress, hasWaited: error.code == .timeout)
      }
    }
  }

  private func complete(_ state: inout State, _ flight: Flight) {
    guard flight.received > 0 else { return fault(&state, "\(host) sent nothing.", after: nil, hadProgress: false) }
    if flight.isWhole, state.version?.length == nil { state.end = flight.position }
    state.backOff.reset()
    state.problem = nil
    state.subscription = nil
    state.needsFreshConnection = false
    // The next part at once, where it is due: the reader may not come for seconds.
    if !state.isWaiting { proceed(&state) }
  }

  private func fail(_ state: inout State, _ error: ByteSourceError) {
    state.failure = error
    state.problem = nil
    state.subscription = nil
  }
}

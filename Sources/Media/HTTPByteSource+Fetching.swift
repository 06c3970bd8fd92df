import HTTP
import Reactor

// What to ask for, and when. All under the monitor.
extension HTTPByteSource {
  /// A transfer with no more than this still to come is waited for, or left to end by itself, rather than cut.
  private static let near: Int64 = 64 << 10
  /// Who has listened for so long goes on listening: all of the read-ahead is fetched, for the tunnel that may come.
  private static let settling = Duration.seconds(2)

  /// The reader waits for the byte at `offset`.
  func fetch(_ state: inout State, _ offset: Int64) {
    if let flight = state.flight {
      if willBring(flight, offset) {
        goOn(flight)
        return
      }
      leave(flight, &state)
    }
    if state.isAsking { return }
    if state.retry != nil {
      if state.retryFor == offset { return }
      state.retry = nil
    }
    if offset != state.reached || state.began == .zero {
      state.window = state.quickStart
      state.began = timekeeper.now()
    }
    // Of a file that is being kept, the first answer is to tell whether it is the same: the rest is there.
    let isKnown = state.part == nil || state.version != nil
    launch(&state, from: offset, size: isKnown ? state.window : 0)
  }

  /// Called after every read: cheap when there is enough.
  func topUp(_ state: inout State, from offset: Int64) {
    let ahead = state.held(from: offset)
    if let flight = state.flight {
      if flight.isPaused, ahead < state.readAhead / 2 { goOn(flight) }
      return
    }
    guard state.retry == nil, !state.isAsking, state.failure == nil, !state.isClosed else { return }
    let isFull = state.window == state.readAhead
    let isSettled = !isFull && timekeeper.now() - state.began >= Self.settling
    guard isSettled || ahead < state.window / 2 else { return }
    let gap = offset + ahead
    if let size = state.size, gap >= size { return }
    state.window = isSettled ? state.readAhead : min(state.window * 2, state.readAhead)
    launch(&state, from: gap, size: state.window - ahead)
  }

  /// As long as it takes to read what has gathered during a rest.
  private static let wakefulness = Duration.milliseconds(5)

  private func willBring(_ flight: Flight, _ offset: Int64) -> Bool {
    if flight.isWhole { return flight.position <= offset }
    return flight.position <= offset && offset <= flight.through && offset - flight.position <= Self.near
  }

  func goOn(_ flight: Flight) {
    guard flight.isPaused else { return }
    flight.rest = nil
    flight.awakeUntil = timekeeper.now() + Self.wakefulness
    flight.isPaused = false
    flight.transfer?.resume()
  }

  private func leave(_ flight: Flight, _ state: inout State) {
    state.flight = nil
    if !flight.isWhole, flight.through - flight.position < Self.near {
      state.orphans.append(flight)
    } else {
      flight.transfer?.cancel()
    }
  }

  private func launch(_ state: inout State, from: Int64, size: Int64) {
    guard let known = credentials == nil ? .some(nil) : state.knownCredentials else { return ask(&state, afterRefusal: false) }
    var end = from + max(size, 16 << 10)
    if let next = state.store.held.nextStart(after: from) { end = min(end, next) }
    if let length = state.size { end = min(end, max(length, from + 1)) }
    let flight = Flight(self, from: from, through: end - 1, started: timekeeper.now())
    var request = HTTPRequest(
      url: url, credentials: known, range: state.avoidsRange ? nil : (from, end - 1),
      ifRange: state.avoidsRange ? nil : state.identity.condition,
      idleTimeout: options.idleTimeout * (1 << min(state.silences, 3)), isMedia: true,
      freshConnection: state.needsFreshConnection)
    request.takesAsIs = state.takesAsIs
    flight.takesAsIs = state.takesAsIs
    flight.isConditional = request.ifRange != nil
    state.flight = flight
    flight.transfer = client.start(request, into: flight)
  }

  func ask(_ state: inout State, afterRefusal: Bool) {
    guard let credentials, !state.isAsking else { return }
    state.isAsking = true
    Task { [weak self] in
      let fresh = await credentials(afterRefusal)
      guard let self else { return }
      monitor.withLock { state in
        state.isAsking = false
        state.knownCredentials = .some(fresh)
        proceed(&state)
      }
    }
  }

  /// What stood in the way is gone: whoever needs bytes gets them asked for.
  func proceed(_ state: inout State) {
    guard !state.isClosed else { return }
    if state.isWaiting { return monitor.wake() }
    // Nobody has read for a while: paused. The next read goes on.
    guard timekeeper.now() - state.lastRead < .seconds(30) else { return }
    topUp(&state, from: state.reader)
  }

  // MARK: faults

  /// - Parameter hasWaited: nothing came for so long that asking again at once is no haste.
  func fault(_ state: inout State, _ sentence: String, after ordered: Duration?, hadProgress: Bool, hasWaited: Bool = false) {
    state.problem = ByteSourceError(.offline, sentence, isSilence: hasWaited)
    state.needsFreshConnection = true
    if state.subscription == nil {
      state.subscription = options.network.subscribe { [weak self] in self?.networkCame() }
    }
    if hadProgress {
      state.backOff.reset()
      if ordered == nil { return proceed(&state) }
    }
    if hasWaited {
      state.silences += 1
      return proceed(&state)
    }
    let delay = max(state.backOff.next(chance: options.chance()), ordered ?? .zero)
    state.retryIsOrdered = ordered != nil
    state.retryFor = state.reader
    state.retry = timekeeper.alarm(after: delay, leeway: delay / 10, on: .callbacks) { [weak self] in self?.retryNow() }
  }

  private func retryNow() {
    monitor.withLock { state in
      state.retry = nil
      proceed(&state)
    }
  }

  /// Another network, another road: what the last one cost of patience counts no more. Its names may be known a moment later only.
  private func networkCame() {
    monitor.withLock { state in
      state.backOff.reset()
      state.silences = 0
      if state.retry != nil, !state.retryIsOrdered {
        state.retry = nil
        return proceed(&state)
      }
      // A request that was sent into the void will not be answered by the new network.
      guard let flight = state.flight, !flight.hasHead, timekeeper.now() - flight.started > .seconds(1) else { return }
      state.flight = nil
      flight.transfer?.cancel()
      proceed(&state)
    }
  }
}

import CPulse
import Synchronization

/// The frames on their way from the ring to the server, and how a stream begins (`SinkBuffer` says why so).
extension PulseSink {
  static let frameSize = SampleRing.channels * 2
  /// Of one write, in frames. libpulse makes messages of 64 KiB of a larger one.
  private static let writeLimit = 16_000

  /// Stops taking frames and silences what the server has, at once. The stream is corked, so that what comes next is a beginning for the
  /// server too: `setCorked` goes on.
  func closeGate() {
    locked {
      isOpen = false
      flow = .priming
      isShort.store(false, ordering: .relaxed)
      guard let stream, isStreamReady else { return }
      cork(stream, true)
      release(pa_stream_flush(stream, nil, nil))
    }
  }

  /// Takes frames from now on. False when there is no stream for `rate` that is ready.
  func openGate(rate: Int) -> Bool {
    locked {
      guard isStreamReady, streamRate == rate else { return false }
      isOpen = true
      pump()
      return true
    }
  }

  /// Called by the decode thread after it wrote: the server asks once only for what it lacks.
  /// - Parameter isShort: it can write no more for now.
  func feed(isShort: Bool) {
    self.isShort.store(isShort, ordering: .sequentiallyConsistent)
    guard isStarved.load(ordering: .sequentiallyConsistent) else { return }
    locked { pump() }
  }

  func started() {
    report(.started)
    guard flow == .primed else { return }
    flow = .flowing
    pump()
  }

  func ranDry() {
    report(.ranDry)
    guard flow == .flowing else { return }
    flow = .priming
    pump()
  }

  func wasAsked() {
    // A server that never says that it started says so by asking for half of what it began with.
    let asked = stream.map { pa_stream_writable_size($0) / Self.frameSize } ?? 0
    if flow == .primed, asked >= buffer.total - buffer.prime / 2 { flow = .flowing }
    pump()
  }

  private func pump() {
    guard isOpen, isStreamReady, let stream else { return }
    switch flow {
    case .priming: prime(stream)
    case .primed: break
    case .flowing:
      let writable = pa_stream_writable_size(stream)
      if writable != .max { give(stream, upTo: writable / Self.frameSize) }
    }
  }

  private func prime(_ stream: OpaquePointer) {
    isStarved.store(true, ordering: .sequentiallyConsistent)
    // Read in this order: the writer says that it is short after it wrote the last of it.
    let isShort = isShort.load(ordering: .sequentiallyConsistent)
    let held = ring.held
    guard held >= buffer.prime || (isShort && held > 0) else { return framesTaken() }
    flow = .primed
    give(stream, upTo: min(held, buffer.prime))
    isStarved.store(false, ordering: .sequentiallyConsistent)
    isShortOfPrime = held < buffer.prime
    if !wantsCorked { trigger(stream) }
  }

  /// Has the server begin with less than `prime`. It forgets that over a stream that is corked: it is asked again when that goes on.
  func trigger(_ stream: OpaquePointer) {
    guard flow == .primed, isShortOfPrime else { return }
    release(pa_stream_trigger(stream, nil, nil))
  }

  /// Writes `room` frames, or what there is of them. The small write comes first: the one with which the server has enough is the last.
  private func give(_ stream: OpaquePointer, upTo room: Int) {
    var room = room
    var taken = 0
    while room > 0 {
      isStarved.store(false, ordering: .sequentiallyConsistent)
      let front = ring.front
      guard let samples = front.baseAddress, !front.isEmpty else {
        isStarved.store(true, ordering: .sequentiallyConsistent)
        // Frames written just before the flag was seen would lie until the next ones.
        if ring.held > 0 { continue }
        break
      }
      let small = room % Self.writeLimit
      let frames = min(small == 0 ? Self.writeLimit : small, front.count / SampleRing.channels)
      guard pa_stream_write(stream, samples, frames * Self.frameSize, nil, 0, PA_SEEK_RELATIVE) >= 0 else { break }
      ring.take(frames)
      room -= frames
      taken += frames
    }
    if taken > 0 || isStarved.load(ordering: .relaxed) { framesTaken() }
  }
}

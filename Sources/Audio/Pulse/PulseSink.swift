import CPulse
import Glibc
import Reactor
import Synchronization

/// The connection to the sound server and the one stream on it. PulseAudio's and PipeWire's servers alike.
///
/// `PulseLoop` runs the callbacks on its own thread with its lock held; every call from elsewhere takes that lock
/// for a moment and never waits for an answer. Only ring work is done in the write callback; everything else is reported.
final class PulseSink: @unchecked Sendable {
  enum Event: Sendable {
    case connected
    case disconnected(String)
    case streamReady
    case streamLost
    /// The server has no sound of ours left (the device may still hold some).
    case ranDry
    /// … and has some again.
    case started
    /// The device was suspended, or works again.
    case suspended(Bool)
    case moved
    /// The sink in use is gone. The stream is corked.
    case sinkVanished
    case corkRequested(Bool)
    case sinkInputChanged
    case sinksChanged
  }

  /// Where the ear was at `time`; the time may be yet to come, and the ear waits there until then.
  struct Timing: Sendable {
    var heard: Int
    var time: Duration
    var isPlaying: Bool
  }

  struct Level: Sendable {
    /// 1.0 is the server's 100 %.
    var volume: Double
    /// The stream, or the output it plays on.
    var isMuted: Bool
  }

  struct Sink: Sendable, Equatable {
    var index: UInt32
    var name: String
    var title: String
    var isBluetooth: Bool
    var isRunning: Bool
    var isSuspended: Bool
  }

  let ring: SampleRing
  private let server: String?
  let timekeeper: any Timekeeper
  let report: @Sendable (Event) -> Void
  /// Called with the lock held after frames were taken.
  let framesTaken: @Sendable () -> Void
  private let loop = PulseLoop()

  // Guarded by the loop's lock.
  var context: OpaquePointer?
  var stream: OpaquePointer?
  var isStreamReady = false
  var sinkIndex = UInt32.max
  var sinkName: String?
  var streamRate = 0
  var isOpen = false
  var wantsCorked = true
  /// Corked by ourselves until it is known whether the sink was lost or the stream moved by hand.
  var isHolding = false
  /// A move of our own is under way: to be expected, nothing was lost.
  var ownMoves = 0
  var queries: [ObjectIdentifier: Query] = [:]
  /// What the server's next frames are to be.
  enum Flow {
    /// A beginning: `SinkBuffer.prime` of them at once.
    case priming
    /// Given; the server has not said yet that it plays them.
    case primed
    case flowing
  }
  var flow = Flow.priming
  var buffer = SinkBuffer(rate: 0, capacity: 0)
  var isShortOfPrime = false
  let isStarved = Atomic<Bool>(false)
  /// No more is to be had for now: it may begin with less.
  let isShort = Atomic<Bool>(false)

  init(
    ring: SampleRing, server: String?, timekeeper: any Timekeeper, report: @escaping @Sendable (Event) -> Void,
    framesTaken: @escaping @Sendable () -> Void
  ) {
    self.ring = ring
    self.server = server
    self.timekeeper = timekeeper
    self.report = report
    self.framesTaken = framesTaken
    let me = Unmanaged.passUnretained(self)
    // Sound flows, and nobody has asked anything. (The thread ends before we do.)
    loop.isCalm = { me._withUnsafeGuaranteedRef { $0.flow == .flowing && $0.isOpen && $0.queries.isEmpty } }
    if !loop.start() { Log.error("no thread for the sound server's main loop") }
  }

  /// Ends the thread. What is still called afterwards (an alarm, a late answer) finds no connection and does nothing.
  func close() {
    disconnect()
    loop.stop()
  }

  /// The loop goes with the last reference only: whoever still has one may lock it.
  deinit { close() }

  func locked<Result>(_ body: () -> Result) -> Result { loop.locked(body) }

  // MARK: The connection

  /// Starts connecting; `.connected` or `.disconnected` follows.
  func connect() {
    locked {
      dropContext()
      let properties = pa_proplist_new()
      defer { pa_proplist_free(properties) }
      pa_proplist_sets(properties, PA_PROP_APPLICATION_NAME, "ipodderx")
      pa_proplist_sets(properties, PA_PROP_APPLICATION_ID, "net.sdf1.ipodderx")
      pa_proplist_sets(properties, PA_PROP_APPLICATION_ICON_NAME, "audio-x-generic")
      guard let context = pa_context_new_with_proplist(loop.api, "ipodderx", properties) else {
        return report(.disconnected("No memory for a connection to the sound server."))
      }
      self.context = context
      pa_context_set_state_callback(context, { _, me in PulseSink.from(me).contextStateChanged() }, pointer)
      pa_context_set_subscribe_callback(
        context, { _, event, index, me in PulseSink.from(me).somethingChanged(event, index) }, pointer)
      if pa_context_connect(context, server, PA_CONTEXT_NOFLAGS, nil) < 0 {
        let reason = reason
        dropContext()
        report(.disconnected(reason))
      }
    }
  }

  func disconnect() {
    locked { dropContext() }
  }

  private func contextStateChanged() {
    guard let context else { return }
    switch pa_context_get_state(context) {
    case PA_CONTEXT_READY:
      let interest = PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
      release(pa_context_subscribe(context, pa_subscription_mask_t(interest), nil, nil))
      report(.connected)
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      // libpulse is still inside this context: it is let go of when the engine reacts.
      report(.disconnected(reason))
    default: break
    }
  }

  private var reason: String {
    let error = context.map { pa_context_errno($0) } ?? Int32(PA_ERR_UNKNOWN.rawValue)
    switch pa_error_code_t(UInt32(bitPattern: error)) {
    case PA_ERR_CONNECTIONREFUSED: return "There is no sound server (PulseAudio or PipeWire) to play to."
    case PA_ERR_CONNECTIONTERMINATED: return "The sound server went away."
    case PA_ERR_ACCESS, PA_ERR_AUTHKEY: return "The sound server does not let us in."
    default: return "The sound server cannot be used: \(String(cString: pa_strerror(error)))."
    }
  }

  private func dropContext() {
    dropStream()
    for query in queries.values { query.giveUp(self) }
    if let context {
      pa_context_set_state_callback(context, nil, nil)
      pa_context_set_subscribe_callback(context, nil, nil)
      pa_context_disconnect(context)
      pa_context_unref(context)
    }
    context = nil
  }

  private func somethingChanged(_ event: pa_subscription_event_type_t, _ index: UInt32) {
    let facility = event.rawValue & PA_SUBSCRIPTION_EVENT_FACILITY_MASK.rawValue
    let kind = event.rawValue & PA_SUBSCRIPTION_EVENT_TYPE_MASK.rawValue
    switch facility {
    case PA_SUBSCRIPTION_EVENT_SINK_INPUT.rawValue:
      guard kind == PA_SUBSCRIPTION_EVENT_CHANGE.rawValue, let stream, index == pa_stream_get_index(stream) else { return }
      report(.sinkInputChanged)
    case PA_SUBSCRIPTION_EVENT_SINK.rawValue:
      if kind != PA_SUBSCRIPTION_EVENT_CHANGE.rawValue {
        report(.sinksChanged)
      } else if let stream, isStreamReady, index == pa_stream_get_device_index(stream) {
        // Mostly its volume or its going idle; it may be muted, too.
        report(.sinkInputChanged)
      }
    default: break
    }
  }

  // MARK: The stream

  /// Makes a new corked stream of `rate` Hz in place of the one there is. `.streamReady` follows.
  /// - Parameters:
  ///   - volume: nil leaves it to the server, which remembers.
  ///   - staysThere: no other sink is ever to have its sound: it ends with its sink, and cannot be moved.
  func makeStream(rate: Int, title: String, volume: Double?, device: String?, staysThere: Bool = false) {
    locked {
      dropStream()
      guard let context, pa_context_get_state(context) == PA_CONTEXT_READY else { return }
      var format = pa_sample_spec(format: cpulse_s16_native(), rate: UInt32(clamping: rate), channels: UInt8(SampleRing.channels))
      let properties = pa_proplist_new()
      defer { pa_proplist_free(properties) }
      pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, "music")
      pa_proplist_sets(properties, PA_PROP_MEDIA_NAME, title)
      guard let stream = pa_stream_new_with_proplist(context, title.isEmpty ? "ipodderx" : title, &format, nil, properties)
      else { return report(.streamLost) }
      self.stream = stream
      streamRate = rate
      setCallbacks(of: stream)
      // PulseAudio rewinds, so pausing is instant all the same.
      buffer = SinkBuffer(rate: rate, capacity: ring.capacity)
      func bytes(_ frames: Int) -> UInt32 { UInt32(clamping: frames * Self.frameSize) }
      var attributes = pa_buffer_attr(
        maxlength: .max, tlength: bytes(buffer.total), prebuf: bytes(buffer.prime), minreq: bytes(buffer.request),
        fragsize: .max)
      var cvolume = pa_cvolume()
      if let volume { pa_cvolume_set(&cvolume, UInt32(SampleRing.channels), Self.paVolume(volume)) }
      let flags = pa_stream_flags_t(
        PA_STREAM_START_CORKED.rawValue | (staysThere ? PA_STREAM_DONT_MOVE.rawValue : PA_STREAM_NOFLAGS.rawValue))
      let result = withUnsafePointer(to: cvolume) { cvolume in
        pa_stream_connect_playback(stream, device, &attributes, flags, volume == nil ? nil : cvolume, nil)
      }
      if result < 0 {
        dropStream()
        report(.streamLost)
      }
    }
  }

  private func setCallbacks(of stream: OpaquePointer) {
    pa_stream_set_state_callback(stream, { _, me in PulseSink.from(me).streamStateChanged() }, pointer)
    pa_stream_set_write_callback(stream, { _, _, me in PulseSink.from(me).wasAsked() }, pointer)
    pa_stream_set_underflow_callback(stream, { _, me in PulseSink.from(me).ranDry() }, pointer)
    pa_stream_set_started_callback(stream, { _, me in PulseSink.from(me).started() }, pointer)
    pa_stream_set_suspended_callback(
      stream, { stream, me in PulseSink.from(me).report(.suspended(pa_stream_is_suspended(stream) > 0)) }, pointer)
    pa_stream_set_moved_callback(stream, { _, me in PulseSink.from(me).wasMoved() }, pointer)
    pa_stream_set_event_callback(
      stream,
      { _, name, _, me in
        guard let name else { return }
        switch String(cString: name) {
        case PA_STREAM_EVENT_REQUEST_CORK: PulseSink.from(me).report(.corkRequested(true))
        case PA_STREAM_EVENT_REQUEST_UNCORK: PulseSink.from(me).report(.corkRequested(false))
        default: break
        }
      }, pointer)
  }

  func removeStream() {
    locked { dropStream() }
  }

  private func dropStream() {
    isOpen = false
    flow = .priming
    isStreamReady = false
    isHolding = false
    ownMoves = 0
    streamRate = 0
    guard let stream else { return }
    for query in queries.values where query.isOfStream { query.giveUp(self) }
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_set_write_callback(stream, nil, nil)
    pa_stream_set_underflow_callback(stream, nil, nil)
    pa_stream_set_started_callback(stream, nil, nil)
    pa_stream_set_suspended_callback(stream, nil, nil)
    pa_stream_set_moved_callback(stream, nil, nil)
    pa_stream_set_event_callback(stream, nil, nil)
    pa_stream_disconnect(stream)
    pa_stream_unref(stream)
    self.stream = nil
  }

  private func streamStateChanged() {
    guard let stream else { return }
    switch pa_stream_get_state(stream) {
    case PA_STREAM_READY:
      isStreamReady = true
      sinkIndex = pa_stream_get_device_index(stream)
      sinkName = currentSinkName
      report(.streamReady)
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      isStreamReady = false
      isOpen = false
      report(.streamLost)
    default: break
    }
  }

  var hasReadyConnection: Bool {
    locked { context.map { pa_context_get_state($0) == PA_CONTEXT_READY } ?? false }
  }

  func hasReadyStream(rate: Int) -> Bool {
    locked { isStreamReady && streamRate == rate }
  }

  // MARK: Play, pause, volume, names

  func setCorked(_ corked: Bool) {
    locked {
      wantsCorked = corked
      guard let stream, isStreamReady, !isHolding else { return }
      cork(stream, corked)
    }
  }

  func cork(_ stream: OpaquePointer, _ corked: Bool) {
    release(pa_stream_cork(stream, corked ? 1 : 0, nil, nil))
    if !corked { trigger(stream) }
  }

  func setTitle(_ title: String) {
    locked {
      guard let stream, isStreamReady else { return }
      release(pa_stream_set_name(stream, title, nil, nil))
    }
  }

  func setVolume(_ volume: Double) {
    locked {
      guard let context, let stream, isStreamReady else { return }
      var cvolume = pa_cvolume()
      pa_cvolume_set(&cvolume, UInt32(SampleRing.channels), Self.paVolume(volume))
      release(pa_context_set_sink_input_volume(context, pa_stream_get_index(stream), &cvolume, nil, nil))
    }
  }

  private static func paVolume(_ volume: Double) -> pa_volume_t {
    // PA_VOLUME_MAX is a cast macro: INT32_MAX.
    let scaled = (volume * Double(PA_VOLUME_NORM)).rounded()
    return pa_volume_t(max(0, min(Double(Int32.max), scaled.isFinite ? scaled : 0)))
  }

  // MARK: Helpers

  private var pointer: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ pointer: UnsafeMutableRawPointer?) -> PulseSink {
    // Every callback is given `self`, which outlives its callbacks (`close` stops the loop first).
    Unmanaged<PulseSink>.fromOpaque(pointer!).takeUnretainedValue()
  }

  func release(_ operation: OpaquePointer?) {
    if let operation { pa_operation_unref(operation) }
  }
}

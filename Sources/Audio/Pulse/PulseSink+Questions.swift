import CPulse
import Reactor

/// What is asked of the sound server: answered on the loop's thread, with nil when the connection is lost meanwhile.
extension PulseSink {
  /// Where the ear is, by the server's own account.
  func askTiming(_ answer: @escaping @Sendable (Timing?) -> Void) {
    locked {
      guard let stream, isStreamReady else { return answer(nil) }
      let query = Query { me, isLost in answer(isLost ? nil : me.timing()) }
      query.isOfStream = true
      ask(query, pa_stream_update_timing_info(stream, { _, _, query in Query.from(query).end() }, query.register(with: self)))
    }
  }

  private func timing() -> Timing? {
    guard let stream, let info = pa_stream_get_timing_info(stream) else { return nil }
    var latency: pa_usec_t = 0
    var isNegative: Int32 = 0
    guard pa_stream_get_latency(stream, &latency, &isNegative) >= 0 else { return nil }
    let frames = isNegative != 0 ? 0 : (Int(min(latency, 100_000_000)) * streamRate + 500_000) / 1_000_000
    var time = timekeeper.now()
    let isPlaying = info.pointee.playing != 0
    // By libpulse the ear is at the first frame of a stream that was just begun. A sink that rendered silence ahead, and cannot take all of
    // it back, gives that out first.
    if isPlaying, isNegative == 0 {
      let ours = Duration.seconds(Double(max(0, info.pointee.since_underrun)) / Double(streamRate * Self.frameSize))
      time += max(.zero, .microseconds(Int64(min(info.pointee.sink_usec, 100_000_000))) - ours)
    }
    return Timing(heard: ring.taken - frames, time: time, isPlaying: isPlaying)
  }

  /// How loud the server has our stream, and whether anything there mutes it.
  func askLevel(_ answer: @escaping @Sendable (Level?) -> Void) {
    locked {
      guard let context, let stream, isStreamReady else { return answer(nil) }
      let input = Query { _, _ in }
      let output = Query { _, _ in }
      // Answers come in the order of the questions.
      output.onEnd = { [unowned output] _, _ in
        var level = input.level
        if output.isMuted { level?.isMuted = true }
        answer(level)
      }
      ask(
        input,
        pa_context_get_sink_input_info(
          context, pa_stream_get_index(stream),
          { _, info, isLast, query in
            guard let info, isLast == 0 else { return Query.from(query).end() }
            var volume = info.pointee.volume
            Query.from(query).level = Level(
              volume: Double(pa_cvolume_avg(&volume)) / Double(PA_VOLUME_NORM), isMuted: info.pointee.mute != 0)
          }, input.register(with: self)))
      ask(
        output,
        pa_context_get_sink_info_by_index(
          context, pa_stream_get_device_index(stream),
          { _, info, isLast, query in
            guard let info, isLast == 0 else { return Query.from(query).end() }
            Query.from(query).isMuted = info.pointee.mute != 0
          }, output.register(with: self)))
    }
  }

  /// All sinks, and the name of the one in use (without a stream: the server's default).
  func askSinks(_ answer: @escaping @Sendable ([Sink], String?) -> Void) {
    locked {
      guard let context, pa_context_get_state(context) == PA_CONTEXT_READY else { return answer([], nil) }
      let server = Query { _, _ in }
      let sinks = Query { _, _ in }
      // Answers come in the order of the questions: the default is known when the sinks are.
      sinks.onEnd = { [unowned sinks] me, isLost in
        answer(isLost ? [] : sinks.sinks, me.currentSinkName ?? server.text)
      }
      ask(
        server,
        pa_context_get_server_info(
          context,
          { _, info, query in
            if let name = info?.pointee.default_sink_name { Query.from(query).text = String(cString: name) }
            Query.from(query).end()
          }, server.register(with: self)))
      ask(sinks, pa_context_get_sink_info_list(context, PulseSink.collectSink, sinks.register(with: self)))
    }
  }

  static let collectSink: pa_sink_info_cb_t = { _, info, isLast, query in
    guard let info, isLast == 0 else { return Query.from(query).end() }
    let sink = info.pointee
    let name = sink.name.map { String(cString: $0) } ?? ""
    let api = pa_proplist_gets(sink.proplist, PA_PROP_DEVICE_API).map { String(cString: $0) }
    let bus = pa_proplist_gets(sink.proplist, PA_PROP_DEVICE_BUS).map { String(cString: $0) }
    Query.from(query).sinks.append(
      Sink(
        index: sink.index, name: name, title: sink.description.map { String(cString: $0) } ?? name,
        isBluetooth: bus == "bluetooth" || (api?.hasPrefix("bluez") ?? false) || name.hasPrefix("bluez_"),
        isRunning: sink.state == PA_SINK_RUNNING, isSuspended: sink.state == PA_SINK_SUSPENDED))
  }

  func ask(_ query: Query, _ operation: OpaquePointer?) {
    guard let operation else { return query.end(isLost: true) }
    query.operation = operation
  }

  /// One question on its way: kept alive by the sink until it is answered or given up.
  final class Query {
    var onEnd: (PulseSink, Bool) -> Void
    var sinks: [Sink] = []
    /// It is given up with the stream, not with the context only.
    var isOfStream = false
    /// Ours to let go of. libpulse would still answer it after its stream was disconnected, until the server has said yes to that.
    fileprivate var operation: OpaquePointer?
    var level: Level?
    var isMuted = false
    var text: String?
    private weak var sink: PulseSink?

    init(_ onEnd: @escaping (PulseSink, Bool) -> Void) {
      self.onEnd = onEnd
    }

    func register(with sink: PulseSink) -> UnsafeMutableRawPointer {
      self.sink = sink
      sink.queries[ObjectIdentifier(self)] = self
      return Unmanaged.passUnretained(self).toOpaque()
    }

    func end(isLost: Bool = false) {
      if let sink { end(sink, isLost) }
    }

    /// No answer comes any more, and none would find its question.
    func giveUp(_ sink: PulseSink) {
      if let operation { pa_operation_cancel(operation) }
      end(sink, true)
    }

    private func end(_ sink: PulseSink, _ isLost: Bool) {
      withExtendedLifetime(self) {
        sink.queries[ObjectIdentifier(self)] = nil
        if let operation { pa_operation_unref(operation) }
        operation = nil
        onEnd(sink, isLost)
      }
    }

    static func from(_ pointer: UnsafeMutableRawPointer?) -> Query {
      Unmanaged<Query>.fromOpaque(pointer!).takeUnretainedValue()
    }
  }
}

import CPulse

/// Which sink the stream is on, and what it means that it is on another one.
extension PulseSink {
  /// Moves our stream there: it goes on where it is.
  func move(to name: String) {
    locked {
      guard let context, let stream, isStreamReady else { return }
      if let current = pa_stream_get_device_name(stream), String(cString: current) == name { return }
      ownMoves += 1
      release(pa_context_move_sink_input_by_name(context, pa_stream_get_index(stream), name, nil, nil))
    }
  }

  /// Moved by hand, by the server to a new default, by ourselves, or because the sink is gone? In the last case not a sound
  /// must come out of the new one, so it is corked before it is asked.
  func wasMoved() {
    guard let context, let stream else { return }
    let former = sinkIndex
    let formerName = sinkName
    sinkIndex = pa_stream_get_device_index(stream)
    sinkName = currentSinkName
    // The servers' stand-in for a sink goes when a real one comes: that is the opposite of a loss.
    if ownMoves > 0 || wantsCorked || formerName == "auto_null" {
      ownMoves = max(0, ownMoves - 1)
      return report(.moved)
    }
    isHolding = true
    cork(stream, true)
    let query = Query { _, _ in }
    query.onEnd = { [unowned query] me, isLost in
      guard !isLost, me.isHolding else { return }
      me.isHolding = false
      if query.sinks.isEmpty {
        me.wantsCorked = true
        me.report(.sinkVanished)
      } else {
        if !me.wantsCorked, let stream = me.stream { me.cork(stream, false) }
        me.report(.moved)
      }
    }
    ask(query, pa_context_get_sink_info_by_index(context, former, PulseSink.collectSink, query.register(with: self)))
  }

  var currentSinkName: String? {
    guard let stream, isStreamReady else { return nil }
    return pa_stream_get_device_name(stream).map { String(cString: $0) }
  }
}

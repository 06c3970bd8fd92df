import CPulse

/// Finds out, once and for `doctor`, whether a sound server answers and what it is. It blocks for at most as long as the server takes
/// to answer or refuse: never on an actor.
public struct SoundServerProbe: Sendable {
  /// As it calls itself: `pulseaudio`, or `PulseAudio (on PipeWire 1.2.7)`.
  public let name: String
  public let version: String
  public let defaultSink: String

  /// - Throws: `AudioError` `.noSoundServer` with libpulse's own reason.
  public init() throws(AudioError) {
    guard let loop = pa_mainloop_new() else { throw AudioError(.noSoundServer, "libpulse gives no main loop.") }
    defer { pa_mainloop_free(loop) }
    guard let context = pa_context_new(pa_mainloop_get_api(loop), "ipodderx-car doctor") else {
      throw AudioError(.noSoundServer, "libpulse gives no context.")
    }
    defer { pa_context_unref(context) }
    pa_context_connect(context, nil, PA_CONTEXT_NOAUTOSPAWN, nil)
    while pa_context_get_state(context) != PA_CONTEXT_READY {
      guard PA_CONTEXT_IS_GOOD(pa_context_get_state(context)) != 0, pa_mainloop_iterate(loop, 1, nil) >= 0 else {
        throw AudioError(.noSoundServer, String(cString: pa_strerror(pa_context_errno(context))))
      }
    }
    let answer = Answer()
    let operation = pa_context_get_server_info(
      context,
      { _, info, data in
        guard let data, let info = info?.pointee else { return }
        let answer = Unmanaged<Answer>.fromOpaque(data).takeUnretainedValue()
        answer.name = info.server_name.map { String(cString: $0) } ?? ""
        answer.version = info.server_version.map { String(cString: $0) } ?? ""
        answer.sink = info.default_sink_name.map { String(cString: $0) } ?? ""
      }, Unmanaged.passUnretained(answer).toOpaque())
    if let operation {
      while pa_operation_get_state(operation) == PA_OPERATION_RUNNING, pa_mainloop_iterate(loop, 1, nil) >= 0 {}
      pa_operation_unref(operation)
    }
    pa_context_disconnect(context)
    (name, version, defaultSink) = (answer.name, answer.version, answer.sink)
  }

  private final class Answer {
    var name = ""
    var version = ""
    var sink = ""
  }
}

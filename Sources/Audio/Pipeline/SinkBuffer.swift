/// How much sound lies with the sound server, in frames.
///
/// PulseAudio renders a sink ahead of the ear, and a stream that runs dry there has its silence taken back when more comes. Of two
/// writes in one turn of the sink's thread the second takes back all that was rendered, and what of it was sound and not heard yet is lost
/// (14.2 and 16.1; a freshly started null sink swallowed whole episodes so). So a stream begins, after a flush and after a drought, with more
/// than a sink renders at once, given in one go, and gets no more until the server says that it has begun.
struct SinkBuffer: Equatable {
  /// What a stream begins with; less only where no more is to be had for now.
  let prime: Int
  /// What the server asks for at a time, at least.
  let request: Int
  /// What the server holds when it lacks nothing, besides what its sink has rendered.
  let total: Int
  /// What a sink renders at once: PulseAudio takes for it what `total` has beyond two requests, less than `prime`. As often it gives back
  /// what it has played, and asks for as much: one wake-up of ours for both, every two seconds.
  private let latency: Int

  /// How far the ear is behind what the server was given, at most.
  var reach: Int { total + latency }

  /// - Parameter capacity: the ring's, in frames: half of it is to suffice for a start.
  init(rate: Int, capacity: Int) {
    let second = max(1, min(rate, capacity / 5))
    prime = second * 5 / 2
    request = second
    latency = second * 2
    total = request * 2 + latency
  }
}

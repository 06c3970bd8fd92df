/// How much sound lies with the sound server, in frames.
///
/// PulseAudio renders a sink ahead of the ear, and a stream that runs dry there has its silence taken back when more comes. Of two
/// writes in one turn of the sink's thread the second takes back all that was rendered, and what of it was sound and not heard yet is lost
/// (14.2 and 16.1; a freshly started null sink swallowed whole episodes so). So a stream begins, after a flush and after a drought, with more
/// than a sink renders at once, given in one go, and gets no more until the server says that it has begun.
struct SinkBuffer: Equatable {
  /// What a stream begins with; less only where no more is to be had for now.
  let prime: Int
  /// What the server asks for at a time, at least: a wake-up every two seconds.
  let request: Int
  /// What the server holds when it lacks nothing. PulseAudio sets the sink's own latency to this less two requests: two seconds,
  /// less than `prime`. It gives back what it has played as often as its sink wakes, and asks then: one wake-up of ours for both.
  let total: Int

  /// How far the ear is behind what the server was given, at most.
  var reach: Int { total + request }

  /// - Parameter capacity: the ring's, in frames: half of it is to suffice for a start.
  init(rate: Int, capacity: Int) {
    let second = max(1, min(rate, capacity / 5))
    prime = second * 5 / 2
    request = second * 2
    total = second * 6
  }
}

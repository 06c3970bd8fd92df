import Library
import Reactor

/// Another library takes the place of ours: another server was chosen while we run.
extension Player {
  /// What plays ends, its place saved in the library that it came from; then `exchange` puts the other one in its place, and what that
  /// remembers (queue, speed) is taken up as at a start. Says `sentence` where something was cut off by it.
  public func exchangeLibrary(saying sentence: String, _ exchange: @Sendable () async -> Void) async {
    await enter()
    defer { leave() }
    isPausedByCall = false
    choices += 1
    let wasHeard = isWanted
    stopNow()
    await sound.drain()
    await shelf.drain()
    await exchange()
    summary = await library.summary
    forgetEngine()
    endPatience()
    endsWithConnection = false
    mediaProblem = wasHeard ? sentence : ""
    (heldItem, heldChapters, leftBehind, foreignPlace, resumable) = (nil, nil, nil, nil, nil)
    // What it was to sleep at the end of is gone.
    if sleep.request == .chapter || sleep.request == .episode { setSleepNow(.off) }
    current = nil
    anchor = PositionAnchor()
    await takeUpMemory(above: model.lastNumber)
    become(.stopped)
    surveyLoudness()
    publish()
  }
}

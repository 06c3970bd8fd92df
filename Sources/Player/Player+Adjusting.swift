import Audio
import Library
import Reactor

/// Speed, volume, outputs, the server's cut, and settings at run time.
extension Player {
  public func setRate(_ rate: Double) async {
    await enter()
    defer { leave() }
    guard rate.isFinite else { return }
    if rate == 0 {
      // MPRIS, Rate: 0 acts as Pause.
      isPausedByCall = false
      pauseNow()
    } else {
      setRateNow(rate)
      if settings.speedByFeed, let feed = current?.item?.feed { rates[feed.text] = self.rate }
    }
    publish()
  }

  public func setVolume(_ volume: Double) async {
    await enter()
    defer { leave() }
    guard volume.isFinite else { return }
    let volume = min(Self.loudest, max(0, volume))
    self.volume = volume
    if !isVolumeElsewhere { send { await $0.setVolume(volume) } }
    publish()
  }

  public func setVolumeElsewhere(_ on: Bool) async {
    await enter()
    defer { leave() }
    guard on != isVolumeElsewhere else { return }
    isVolumeElsewhere = on
    let volume = on ? 1 : volume
    send { await $0.setVolume(volume) }
  }

  public func setDeadAir(_ on: Bool) async {
    await enter()
    defer { leave() }
    var settings = self.settings
    settings.deadAir = on
    take(settings)
    publish()
  }

  public func apply(_ settings: PlayerSettings) async {
    await enter()
    defer { leave() }
    take(settings)
    publish()
  }

  public func outputs() async -> [AudioOutput] { await playback.outputs() }

  public func setOutput(_ id: String) async throws(LibraryError) {
    guard await playback.outputs().contains(where: { $0.id == id }) else {
      throw LibraryError(.notFound, "There is no such output.")
    }
    let preferred = [id] + settings.outputs
    send { await $0.setOutput(preferring: preferred) }
  }

  public func buffered() async -> MediaTime { await playback.buffered() }

  /// As loud as PulseAudio's own mixers let one go.
  static let loudest = 1.5
  static let rates = 0.5...3.0

  func setRateNow(_ wanted: Double) {
    let wanted = min(Self.rates.upperBound, max(Self.rates.lowerBound, wanted))
    guard wanted != rate else { return }
    let place = self.place
    rate = wanted
    setAnchor(place)
    setMarks()
    reviewPrepared()
    send { await $0.setRate(wanted) }
    // For those who reckon the place at the single speed.
    if current != nil { jumped() }
  }

  /// Each feed's own speed, where so set.
  func takeRateOfFeed() {
    guard settings.speedByFeed, let feed = current?.item?.feed, let rate = rates[feed.text] else { return }
    setRateNow(rate)
  }

  private func take(_ new: PlayerSettings) {
    let old = settings
    settings = new
    if new.processing != old.processing { send { await $0.setProcessing(new.processing) } }
    if new.processing.loudness, !old.processing.loudness { surveyLoudness() }
    if new.outputs != old.outputs { send { await $0.setOutput(preferring: new.outputs) } }
    if let speed = new.speed, speed != old.speed { setRateNow(speed) }
    if new.speedByFeed, !old.speedByFeed { takeRateOfFeed() }
    if new.deadAir != old.deadAir { changeCut() }
  }

  /// What is kept and was never measured, in the background.
  func surveyLoudness() {
    guard settings.processing.loudness else { return }
    Task { [survey] in await survey.lookAtAll() }
  }

  /// The other cut of what is loaded, from the same place in the original.
  private func changeCut() {
    guard let current, current.episode != nil, current.token != nil, !current.isAtEnd else { return dropPrepared() }
    let place = current.original(self.place)
    unloadCurrent()
    self.current?.target = place
    if isWanted { load() }
  }
}

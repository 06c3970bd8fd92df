import Library
import Reactor

/// The queue and the speed, across restarts.
extension Player {
  /// The last episode is described again and Play resumes it; nothing is fetched for it before.
  /// - Parameter number: entries are numbered from above it: these numbers are known to the faces as other entries.
  func takeUpMemory(above number: UInt64 = 0) async {
    let memory = await library.remembered(PlayerMemory.key).flatMap(PlayerMemory.init(text:)) ?? PlayerMemory()
    remembered = memory
    model = memory.model
    model.renumber(above: number)
    rates = memory.rates.filter { Self.rates.contains($0.value) }
    rate = min(Self.rates.upperBound, max(Self.rates.lowerBound, settings.speed ?? memory.rate))
    guard let entry = model.current else { return await findResumable() }
    var described = await describe(entry)
    if described.episode == nil {
      foreignPlace = memory.foreignPlace
      described.target = foreignPlace
    }
    current = described
    anchor = PositionAnchor(place: described.target ?? described.place, moment: timekeeper.now(), speed: 0)
    takeRateOfFeed()
  }

  func persist() {
    var memory = PlayerMemory()
    memory.model = model
    memory.rate = rate
    memory.rates = rates
    memory.foreignPlace = foreignPlace
    guard memory != remembered else { return }
    remembered = memory
    write { [memory] library in await library.remember(PlayerMemory.key, memory.text) }
  }
}

import Dispatch
import Reactor

/// An AVRCP target for one peer: answers on the control and the browsing channel, sends notifications, turns keys into actions,
/// and, as a controller, keeps the car's volume.
///
/// Give it the control channel and `run` it; `attachBrowsing` when that channel comes. It owns the descriptors.
public actor AVRCPTarget {
  private let executor: QueueExecutor
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  nonisolated var queue: DispatchQueue { executor.queue }

  let model: any TargetModel
  let peer: PeerDescription
  let options: TargetOptions
  let timekeeper: any Timekeeper

  /// A model command that waits for another one is refused when as many wait already; every label can be in use once.
  static let mostWaiting = 16

  let controlMTU: Int
  var browsingMTU = 0
  private var control: DatagramLink?
  private var browsing: DatagramLink?
  /// Counts the browsing channels that there were.
  private(set) var browsingChannel: UInt64 = 0
  /// Where answers go; a test may listen here instead of at a descriptor.
  var sendControl: ([UInt8]) -> Void = { _ in }
  var sendBrowsing: ([UInt8]) -> Void = { _ in }
  var controlJobs = SerialJobs(limit: AVRCPTarget.mostWaiting)
  var browsingJobs = SerialJobs(limit: AVRCPTarget.mostWaiting)
  var actionJobs = SerialJobs(limit: 64)
  private var updates: Task<Void, Never>?
  private var finished: CheckedContinuation<Void, Never>?
  private(set) var hasEnded = false
  private var firstState: [CheckedContinuation<Void, Never>] = []

  var state = TargetState()
  /// Counts changes of the player list.
  var playersRevision: UInt64 = 0
  /// The player that this car drives.
  var addressed: UInt16?
  var hasState = false
  public internal(set) var hasBrowsing = false
  /// The car was told which player is addressed while it could not ask for the list of them.
  var wasAddressedUnbrowsed = false
  private let browsingEnded: @Sendable () -> Void
  var continuation: ContinuationBuffer
  var registry = NotificationRegistry()
  var path = BrowsePath()
  var keys: KeyStateMachine
  var keyAlarm: (any Alarm)?
  var positionInterval = Duration.seconds(1)
  var positionAlarm: (any Alarm)?
  /// The UID counters that the car knows, by player.
  var announcedCounters: [UInt16: UInt16] = [:]
  var counterAlarm: (any Alarm)?
  var volume = VolumeControl()
  public internal(set) var statistics = TargetStatistics()

  /// - Parameter browsingEnded: is called when the peer ends the browsing channel while the control channel stays.
  public init(
    model: any TargetModel, control: DatagramChannel, peer: PeerDescription = .init(), options: TargetOptions = .init(),
    timekeeper: any Timekeeper = SystemTimekeeper(), browsingEnded: @escaping @Sendable () -> Void = {}
  ) {
    self.init(
      model: model, control: control, controlMTU: control.outgoingMTU, peer: peer, options: options, timekeeper: timekeeper,
      browsingEnded: browsingEnded)
  }

  private var pendingControl: DatagramChannel?

  /// Without descriptors: for fuzzing and for measuring.
  init(
    model: any TargetModel, control: DatagramChannel? = nil, controlMTU: Int, peer: PeerDescription, options: TargetOptions,
    timekeeper: any Timekeeper, browsingEnded: @escaping @Sendable () -> Void = {}
  ) {
    self.browsingEnded = browsingEnded
    pendingControl = control
    executor = QueueExecutor("AVRCP target")
    self.model = model
    self.peer = peer
    self.options = options
    self.timekeeper = timekeeper
    self.controlMTU = controlMTU
    continuation = ContinuationBuffer(outgoingMTU: controlMTU)
    keys = KeyStateMachine(holdThreshold: options.holdThreshold, hasNoRelease: options.hasNoRelease)
  }

  // MARK: Life

  /// Serves the peer until its control channel ends or `stop` is called.
  public func run() async {
    guard !hasEnded, let channel = pendingControl else { return }
    pendingControl = nil
    await start()
    guard !hasEnded else { return closeDescriptor(channel) }
    let link = DatagramLink(channel, queue: queue) { [weak self] packet in
      self?.assumeIsolated { $0.receiveControl(packet) }
    } ended: { [weak self] in
      self?.assumeIsolated { $0.stop() }
    }
    control = link
    sendControl = { [unowned link] in link.send($0) }
    link.start()
    startVolume()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if hasEnded { continuation.resume() } else { finished = continuation }
      }
    } onCancel: {
      Task { await self.stop() }
    }
  }

  /// The browsing channel has come (again). Without effect where browsing is not offered to this car: it is closed.
  /// - Returns: whether it is served.
  @discardableResult
  public func attachBrowsing(_ channel: DatagramChannel) -> Bool {
    guard !hasEnded, options.allowsBrowsing else {
      closeDescriptor(channel)
      return false
    }
    browsing?.close()
    browsingChannel += 1
    browsingMTU = channel.outgoingMTU
    let link = DatagramLink(channel, queue: queue) { [weak self] packet in
      self?.assumeIsolated { $0.receiveBrowsing(packet) }
    } ended: { [weak self] in
      self?.assumeIsolated { $0.detachBrowsing(channel) }
    }
    browsing = link
    hasBrowsing = true
    sendBrowsing = { [unowned link] in link.send($0) }
    // It may come before the model has said anything.
    if !hasState { link.hold() }
    link.start()
    offerPlayersAgain()
    return true
  }

  private func detachBrowsing(_ channel: DatagramChannel) {
    guard browsing?.channel == channel else { return }
    browsing = nil
    hasBrowsing = false
    sendBrowsing = { _ in }
    browsingEnded()
  }

  /// Releases the browsing channel, then the control channel (AVRCP 1.6.2, 4.1.2), and ends `run`.
  public func stop() {
    guard !hasEnded else { return }
    hasEnded = true
    endHeldKey()
    browsing?.close()
    control?.close()
    browsing = nil
    control = nil
    sendControl = { _ in }
    sendBrowsing = { _ in }
    updates?.cancel()
    for alarm in [keyAlarm, positionAlarm, counterAlarm, volume.alarm] { alarm?.cancel() }
    controlJobs.end(dropping: true)
    browsingJobs.end(dropping: true)
    actionJobs.end(dropping: false)
    if let pendingControl { closeDescriptor(pendingControl) }
    pendingControl = nil
    for waiter in firstState { waiter.resume() }
    firstState = []
    finished?.resume()
    finished = nil
  }

  private func closeDescriptor(_ channel: DatagramChannel) {
    DatagramLink(channel, queue: queue, receive: { _ in }, ended: {}).close()
  }

  /// Listens to the model and waits for its first state, so that no question is answered from an empty one.
  func start() async {
    let stream = await model.updates()
    updates = Task { [weak self] in
      for await update in stream { await self?.take(update) }
      await self?.modelEnded()
    }
    guard !hasState else { return }
    await withCheckedContinuation { continuation in
      if hasState || hasEnded { continuation.resume() } else { firstState.append(continuation) }
    }
  }

  private func modelEnded() {
    for waiter in firstState { waiter.resume() }
    firstState = []
  }

  func stateArrived() {
    hasState = true
    if (browsing?.holds ?? 0) > 0 { browsing?.release() }
    modelEnded()
  }

  // MARK: What is in use

  /// The lower of what we offer and what the peer knows: a peer that opened a browsing channel knows 1.4, whatever its record says.
  public var version: ProfileVersion {
    min(options.maximumVersion, max(peer.version, hasBrowsing ? .v14 : .v13))
  }

  /// What this car is told of the player: nothing that it may not use.
  func features(of player: TargetPlayer) -> PlayerFeatures {
    var features = player.features
    features.remove(.coverArt)
    if !options.allowsBrowsing {
      for feature in [PlayerFeature.browsing, .searching, .addToNowPlaying, .nowPlaying] { features.remove(feature) }
    }
    return features
  }

  var player: TargetPlayer? { state.player(addressed) }

  /// Reading stops while as much work waits as may.
  func holdReading(_ hold: Bool, ofControl isControl: Bool) {
    let link = isControl ? control : browsing
    if hold { link?.hold() } else if (link?.holds ?? 0) > 0 { link?.release() }
  }
}

/// Counts for `car status` and for tests.
public struct TargetStatistics: Sendable, Equatable {
  public var commands = 0
  public var browsingCommands = 0
  /// Packets that were no message of ours: fragments, too short.
  public var dropped = 0
  public var rejected = 0
  public var notifications = 0

  public init() {}
}

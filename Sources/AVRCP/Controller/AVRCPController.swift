import Dispatch
import Reactor

/// The other end: a head unit over two connected descriptors, speaking the real bytes. For `car simulate` and for tests.
/// Its decoders are its own, so that an error of the target's encoders is seen and not shared.
public actor AVRCPController {
  /// The longest that an answer may take.
  public static let defaultTimeout = Duration.seconds(5)

  private let executor = QueueExecutor("AVRCP controller")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let timekeeper: any Timekeeper
  private let timeout: Duration
  private var control: DatagramLink?
  private var browsing: DatagramLink?
  private var controlWaiting: [UInt8: PendingAnswer] = [:]
  private var browsingWaiting: [UInt8: PendingAnswer] = [:]
  /// INTERIM came: CHANGED comes under this label.
  private var notifications: [UInt8: EventID] = [:]
  private var nextLabel: UInt8 = 0
  private var carVolume: UInt8 = 64
  private var volumeListener: UInt8?
  private var hasClosed = false
  /// What the target tells unasked: CHANGED and REJECTED of registered notifications, in order.
  public nonisolated let events: AsyncStream<ControllerEvent>
  private let eventSink: AsyncStream<ControllerEvent>.Continuation

  public init(timekeeper: any Timekeeper = SystemTimekeeper(), timeout: Duration = AVRCPController.defaultTimeout) {
    self.timekeeper = timekeeper
    self.timeout = timeout
    (events, eventSink) = AsyncStream.makeStream(of: ControllerEvent.self, bufferingPolicy: .bufferingNewest(256))
  }

  public func open(control channel: DatagramChannel, browsing browsingChannel: DatagramChannel? = nil) {
    control = link(channel) { $0.receiveControl($1) }
    if let browsingChannel { attachBrowsing(browsingChannel) }
  }

  public func attachBrowsing(_ channel: DatagramChannel) {
    browsing?.close()
    browsing = link(channel) { $0.receiveBrowsing($1) }
  }

  private func link(
    _ channel: DatagramChannel, _ receive: @escaping @Sendable (isolated AVRCPController, [UInt8]) -> Void
  ) -> DatagramLink {
    let link = DatagramLink(channel, queue: executor.queue) { [weak self] packet in
      self?.assumeIsolated { receive($0, packet) }
    } ended: { [weak self] in
      self?.assumeIsolated { $0.close() }
    }
    link.start()
    return link
  }

  public func close() {
    guard !hasClosed else { return }
    hasClosed = true
    browsing?.close()
    control?.close()
    for waiting in [controlWaiting, browsingWaiting] {
      for pending in waiting.values { pending.end(.failure(ControllerError.closed)) }
    }
    controlWaiting = [:]
    browsingWaiting = [:]
    eventSink.finish()
  }

  // MARK: One question, one answer

  /// A frame on the control channel and the frame that answers it.
  public func ask(_ frame: AVCFrame) async throws -> AVCFrame {
    try await exchange(frame).frame
  }

  private func exchange(_ frame: AVCFrame) async throws -> (frame: AVCFrame, label: UInt8) {
    let label = try freeLabel { controlWaiting[$0] == nil && notifications[$0] == nil }
    let message = AVCTPMessage(label: label, isResponse: false, payload: frame.bytes[...]).bytes
    let payload = try await wait(sending: message, on: control) { pending in
      controlWaiting[label] = pending
    } expire: {
      $0.controlWaiting.removeValue(forKey: label)
    }
    guard let answer = AVCFrame(payload[...]) else { throw ControllerError.malformed("AV/C frame") }
    return (answer, label)
  }

  /// A PDU on the browsing channel and its answer's parameters.
  public func browse(_ pdu: PDUID, _ parameters: [UInt8]) async throws -> [UInt8] {
    let label = try freeLabel { browsingWaiting[$0] == nil }
    let request = BrowsingPDU(pdu, parameters: parameters[...]).bytes
    let message = AVCTPMessage(label: label, isResponse: false, payload: request[...]).bytes
    let payload = try await wait(sending: message, on: browsing) { pending in
      browsingWaiting[label] = pending
    } expire: {
      $0.browsingWaiting.removeValue(forKey: label)
    }
    guard payload.count >= 3, Int(payload[1]) << 8 | Int(payload[2]) == payload.count - 3 else {
      throw ControllerError.malformed("browsing PDU")
    }
    let parameters = Array(payload[3...])
    if payload[0] == PDUID.generalReject.rawValue {
      throw ControllerError.rejected(parameters.first.flatMap(StatusCode.init(rawValue:)))
    }
    guard payload[0] == pdu.rawValue else { throw ControllerError.malformed("another PDU's answer") }
    guard parameters.first == StatusCode.completed.rawValue else {
      throw ControllerError.rejected(parameters.first.flatMap(StatusCode.init(rawValue:)))
    }
    return Array(parameters.dropFirst())
  }

  /// A control PDU; the packets of a long answer are asked for and put together.
  public func command(_ pdu: PDUID, _ type: AVCCommandType, _ parameters: [UInt8] = []) async throws -> ControllerAnswer {
    let first = try await packet(pdu, type, parameters)
    var answer = first.answer
    var packetType = first.packetType
    guard packetType != 0 else { return answer }
    guard packetType == 1 else { throw ControllerError.malformed("a continued answer without a start") }
    while packetType != 3 {
      let next = try await packet(.requestContinuingResponse, .control, [pdu.rawValue], answering: pdu)
      guard next.packetType == 2 || next.packetType == 3, !next.answer.parameters.isEmpty else {
        throw ControllerError.malformed("packet type")
      }
      answer.parameters += next.answer.parameters
      packetType = next.packetType
    }
    return answer
  }

  private func packet(
    _ pdu: PDUID, _ type: AVCCommandType, _ parameters: [UInt8], answering: PDUID? = nil
  ) async throws -> (answer: ControllerAnswer, packetType: UInt8) {
    let operands = VendorDependentPDU(pdu, parameters: parameters[...]).operands
    let (frame, label) = try await exchange(
      AVCFrame(type: type.rawValue, opcode: .vendorDependent, operands: operands[...]))
    guard let response = AVCResponseType(rawValue: frame.type) else { throw ControllerError.malformed("response type") }
    if response == .notImplemented { throw ControllerError.notImplemented }
    let bytes = Array(frame.operands)
    guard bytes.count >= 7, bytes[0...2] == [0x00, 0x19, 0x58], Int(bytes[5]) << 8 | Int(bytes[6]) == bytes.count - 7 else {
      throw ControllerError.malformed("vendor dependent PDU")
    }
    guard bytes[3] == (answering ?? pdu).rawValue || response == .rejected else {
      throw ControllerError.malformed("another PDU's answer")
    }
    let rest = Array(bytes[7...])
    if response == .rejected { throw ControllerError.rejected(rest.first.flatMap(StatusCode.init(rawValue:))) }
    return (ControllerAnswer(type: response, parameters: rest, label: label), bytes[4] & 3)
  }

  // MARK: Packets

  private func receiveControl(_ packet: [UInt8]) {
    guard let message = AVCTPMessage(packet) else { return }
    guard message.isResponse else { return receiveCommand(message) }
    let payload = Array(message.payload)
    if let event = notifications[message.label] {
      notifications[message.label] = nil
      eventSink.yield(ControllerEvent(event, payload))
      return
    }
    guard let pending = controlWaiting.removeValue(forKey: message.label) else { return }
    if message.hasInvalidProfile { return pending.end(.failure(ControllerError.invalidProfile)) }
    // Taken here, before the next packet: CHANGED may follow at once.
    if payload.count > 10, payload[0] == AVCResponseType.interim.rawValue, payload[6] == PDUID.registerNotification.rawValue,
      let event = EventID(rawValue: payload[10])
    {
      notifications[message.label] = event
    }
    pending.end(.success(payload))
  }

  private func receiveBrowsing(_ packet: [UInt8]) {
    guard let message = AVCTPMessage(packet), message.isResponse,
      let pending = browsingWaiting.removeValue(forKey: message.label)
    else { return }
    if message.hasInvalidProfile { return pending.end(.failure(ControllerError.invalidProfile)) }
    pending.end(.success(Array(message.payload)))
  }

  private func freeLabel(_ isFree: (UInt8) -> Bool) throws -> UInt8 {
    for _ in 0..<16 {
      nextLabel = (nextLabel + 1) & 0x0F
      if isFree(nextLabel) { return nextLabel }
    }
    throw ControllerError.busy
  }

  /// Sends a request and waits for what `receive…` hands to the one who waits, at most for `timeout`. What cannot be sent is refused
  /// at once: nobody would answer it.
  private func wait(
    sending message: [UInt8], on link: DatagramLink?, _ enlist: (PendingAnswer) -> Void,
    expire: @escaping @Sendable (isolated AVRCPController) -> PendingAnswer?
  ) async throws -> [UInt8] {
    guard !hasClosed, let link else { throw ControllerError.closed }
    let tooLong = ControllerError.tooLong(length: message.count, limit: link.channel.outgoingMTU)
    guard message.count <= link.channel.outgoingMTU else { throw tooLong }
    return try await withCheckedThrowingContinuation { continuation in
      let pending = PendingAnswer(continuation)
      enlist(pending)
      pending.alarm = timekeeper.alarm(after: timeout, leeway: .milliseconds(100), on: executor.queue) { [weak self] in
        self?.assumeIsolated { expire($0)?.end(.failure(ControllerError.timeout)) }
      }
      // A link that ends by it has told all who wait. One that does not has a message that its socket takes no part of.
      if !link.send(message) { expire(self)?.end(.failure(link.isClosed ? ControllerError.closed : tooLong)) }
    }
  }

  // MARK: The car as a target: its volume

  /// The listener turned the car's knob.
  public func turnVolume(to value: UInt8) {
    carVolume = min(value, 0x7F)
    guard let label = volumeListener else { return }
    volumeListener = nil
    answer(label, .changed, .registerNotification, [EventID.volumeChanged.rawValue, carVolume])
  }

  public var volume: UInt8 { carVolume }

  private func receiveCommand(_ message: AVCTPMessage) {
    guard let frame = AVCFrame(message.payload), frame.opcode == AVCOpcode.vendorDependent.rawValue,
      let pdu = try? VendorDependentPDU(operands: frame.operands)
    else { return }
    let parameters = Array(pdu.parameters)
    switch (PDUID(rawValue: pdu.pdu), parameters) {
    case (.getCapabilities, [CapabilityID.eventsSupported.rawValue]):
      answer(message.label, .stable, .getCapabilities, [0x03, 0x01, EventID.volumeChanged.rawValue])
    case (.registerNotification, [EventID.volumeChanged.rawValue, 0, 0, 0, 0]):
      volumeListener = message.label
      answer(message.label, .interim, .registerNotification, [EventID.volumeChanged.rawValue, carVolume])
    case (.setAbsoluteVolume, let value) where value.count == 1:
      carVolume = value[0] & 0x7F
      answer(message.label, .accepted, .setAbsoluteVolume, [carVolume])
    default:
      answer(message.label, .rejected, PDUID(rawValue: pdu.pdu) ?? .generalReject, [StatusCode.invalidCommand.rawValue])
    }
  }

  private func answer(_ label: UInt8, _ type: AVCResponseType, _ pdu: PDUID, _ parameters: [UInt8]) {
    let operands = VendorDependentPDU(pdu, parameters: parameters[...]).operands
    let frame = AVCFrame(type: type.rawValue, opcode: .vendorDependent, operands: operands[...])
    control?.send(AVCTPMessage(label: label, isResponse: true, payload: frame.bytes[...]).bytes)
  }
}

/// An answer to a control PDU, whole.
public struct ControllerAnswer: Sendable {
  public var type: AVCResponseType
  public var parameters: [UInt8]
  public var label: UInt8
}

/// One who waits; ended exactly once. Used on the controller's queue only.
private final class PendingAnswer {
  private let continuation: CheckedContinuation<[UInt8], any Error>
  var alarm: (any Alarm)?

  init(_ continuation: CheckedContinuation<[UInt8], any Error>) { self.continuation = continuation }

  func end(_ result: Result<[UInt8], any Error>) {
    alarm?.cancel()
    continuation.resume(with: result)
  }
}

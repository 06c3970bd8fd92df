extension AVRCPTarget {
  /// 6.13: our side is the controller here, the car the category 2 target.
  func startVolume() {
    guard options.usesAbsoluteVolume, peer.targetFeatures.contains(.category2), version >= .v14 else { return }
    command(.capabilities)
  }

  /// The model wants another volume at the car. Only the last wish counts.
  func volumeWanted() {
    guard volume.isInUse, let wanted = state.volume.map({ $0 & 0x7F }) else { return }
    volume.wanted = wanted == volume.known ? nil : wanted
    nextVolumeCommand()
  }

  private func nextVolumeCommand() {
    guard volume.pending == nil else { return }
    if volume.isInUse && volume.registered == nil { return command(.register) }
    if let wanted = volume.wanted {
      volume.wanted = nil
      command(.set(wanted))
    }
  }

  private func command(_ command: VolumeControl.Command) {
    let label = volume.label()
    volume.pending = (command, label)
    volume.alarm = timekeeper.alarm(after: VolumeControl.timeout, leeway: .milliseconds(200), on: queue) { [weak self] in
      self?.assumeIsolated { $0.volumeCommandFailed() }
    }
    let (type, pdu, parameters): (AVCCommandType, PDUID, [UInt8]) =
      switch command {
      case .capabilities: (.status, .getCapabilities, [CapabilityID.eventsSupported.rawValue])
      case .register: (.notify, .registerNotification, RegisterNotificationCommand(.volumeChanged).parameters)
      case .set(let volume): (.control, .setAbsoluteVolume, [volume & 0x7F])
      }
    let operands = VendorDependentPDU(pdu, parameters: parameters[...]).operands
    let frame = AVCFrame(type: type.rawValue, opcode: .vendorDependent, operands: operands[...])
    sendControl(AVCTPMessage(label: label, isResponse: false, payload: frame.bytes[...]).bytes)
  }

  /// No answer, or a refusal: the car's volume is its own business. A refused value is no reason to give up.
  private func volumeCommandFailed() {
    guard let pending = volume.pending else { return }
    endPending()
    if case .set = pending.command { return nextVolumeCommand() }
    volume.isInUse = false
    volume.wanted = nil
  }

  private func endPending() {
    volume.pending = nil
    volume.alarm?.cancel()
    volume.alarm = nil
  }

  /// An answer to a command of ours; anything else is dropped.
  func receiveResponse(_ message: AVCTPMessage) {
    let isPending = volume.pending?.label == message.label
    guard isPending || volume.registered == message.label else {
      statistics.dropped += 1
      return
    }
    guard !message.hasInvalidProfile, let frame = AVCFrame(message.payload),
      frame.opcode == AVCOpcode.vendorDependent.rawValue, let type = AVCResponseType(rawValue: frame.type),
      let pdu = try? VendorDependentPDU(operands: frame.operands)
    else {
      if isPending { volumeCommandFailed() }
      return
    }
    if isPending, let pending = volume.pending { return answered(pending.command, type, pdu, message.label) }
    guard type == .changed, let now = Self.volume(in: pdu) else {
      // Ended without a value: the car does not tell any more.
      volume.registered = nil
      volume.isInUse = false
      return
    }
    volume.registered = nil
    carVolume(now)
    nextVolumeCommand()
  }

  private func answered(_ command: VolumeControl.Command, _ type: AVCResponseType, _ pdu: VendorDependentPDU, _ label: UInt8) {
    switch (command, type) {
    case (.capabilities, .stable):
      guard pdu.parameters.dropFirst(2).contains(EventID.volumeChanged.rawValue) else { return volumeCommandFailed() }
      volume.isInUse = true
    case (.register, .interim):
      guard let now = Self.volume(in: pdu) else { return volumeCommandFailed() }
      volume.registered = label
      endPending()
      let isFirst = volume.known == nil
      carVolume(now)
      // At the start the car's volume counts; what was wanted before it was known is not forced on it.
      if isFirst { volume.wanted = nil }
      return nextVolumeCommand()
    case (.register, .changed):
      if let now = Self.volume(in: pdu) { carVolume(now) }
    case (.set, .accepted):
      // The answer holds what the car made of it. Bit 7 is reserved.
      if let now = pdu.parameters.first { carVolume(now & 0x7F) }
    default: return volumeCommandFailed()
    }
    endPending()
    nextVolumeCommand()
  }

  private static func volume(in pdu: VendorDependentPDU) -> UInt8? {
    guard pdu.parameters.count == 2, pdu.parameters.first == EventID.volumeChanged.rawValue else { return nil }
    return pdu.parameters.last.map { $0 & 0x7F }
  }

  private func carVolume(_ now: UInt8) {
    guard volume.known != now else { return }
    volume.known = now
    guard !actionJobs.isFull else { return }
    actionJobs.add { [weak self, model] in
      await model.carVolume(now)
      await self?.volumeTold()
    }
  }

  private func volumeTold() { actionJobs.done() }
}

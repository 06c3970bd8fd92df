extension AVRCPTarget {
  /// One packet of the control channel.
  func receiveControl(_ packet: [UInt8]) {
    guard let message = AVCTPMessage(packet) else {
      statistics.dropped += 1
      return
    }
    if message.isResponse { return receiveResponse(message) }
    guard message.profile == AVCTPMessage.remoteControl else { return sendInvalidProfile(message, sendControl) }
    guard let frame = AVCFrame(message.payload) else {
      statistics.dropped += 1
      return
    }
    statistics.commands += 1
    // A reserved type, or a response where a command belongs: nothing that could be done.
    guard let type = AVCCommandType(rawValue: frame.type) else { return refuse(frame, message.label) }
    if type == .specificInquiry || type == .generalInquiry { return inquiry(frame, type, message.label) }
    switch AVCOpcode(rawValue: frame.opcode) {
    case .unitInfo: unitInfo(frame, type, message.label)
    case .subunitInfo: subunitInfo(frame, type, message.label)
    case .passThrough: passThrough(frame, type, message.label)
    case .vendorDependent: vendorDependent(frame, type, message.label)
    case nil: refuse(frame, message.label)
    }
  }

  /// AVCTP 1.4, 6.1.1: the header alone, with the profile that was asked for.
  func sendInvalidProfile(_ message: AVCTPMessage, _ send: ([UInt8]) -> Void) {
    send(AVCTPMessage(label: message.label, isResponse: true, hasInvalidProfile: true, profile: message.profile).bytes)
  }

  func send(_ frame: AVCFrame, label: UInt8) {
    let frameLimit = min(AVCFrame.maximumLength, controlMTU - AVCTPMessage.headerLength)
    var packet: [UInt8] = []
    packet.reserveCapacity(AVCTPMessage.headerLength + AVCFrame.headerLength + frame.operands.count)
    AVCTPMessage.appendHeader(to: &packet, label: label, isResponse: true)
    packet.append(contentsOf: [frame.type, frame.subunit, frame.opcode])
    packet.append(contentsOf: frame.operands.prefix(max(0, frameLimit - AVCFrame.headerLength)))
    sendControl(packet)
  }

  func respond(_ frame: AVCFrame, _ type: AVCResponseType, _ operands: ArraySlice<UInt8>, _ label: UInt8) {
    var response = frame
    response.type = type.rawValue
    response.operands = operands
    send(response, label: label)
  }

  /// NOT IMPLEMENTED, with the operands as they came (AV/C 4.2, 8.1).
  func refuse(_ frame: AVCFrame, _ label: UInt8) {
    statistics.rejected += 1
    respond(frame, .notImplemented, frame.operands, label)
  }

  /// AV/C 4.2, tables 7 and 8: whether a CONTROL command would be known, exactly as it stands (SPECIFIC) or by its opcode alone (GENERAL).
  /// The answer is IMPLEMENTED or NOT IMPLEMENTED, with what came; an inquiry is never rejected, and does nothing.
  private func inquiry(_ frame: AVCFrame, _ type: AVCCommandType, _ label: UInt8) {
    guard frame.subunit == AVCSubunit.panel, let opcode = AVCOpcode(rawValue: frame.opcode) else { return refuse(frame, label) }
    let isKnown =
      switch opcode {
      case .unitInfo, .subunitInfo: false
      case .passThrough: type == .generalInquiry || understands(PassThroughCommand(operands: frame.operands))
      case .vendorDependent: type == .generalInquiry || understands(try? VendorDependentPDU(operands: frame.operands))
      }
    guard isKnown else { return refuse(frame, label) }
    respond(frame, .stable, frame.operands, label)
  }

  /// Whether a vendor dependent CONTROL command is one of this profile and version.
  private func understands(_ pdu: VendorDependentPDU?) -> Bool {
    guard let pdu, let rule = ControlPDUTable.rule(for: pdu.pdu) else { return false }
    return rule.types.contains(.control) && version >= rule.since
  }

  /// AV/C 4.2, 11.2: one unit, of type panel, by the Bluetooth SIG.
  private func unitInfo(_ frame: AVCFrame, _ type: AVCCommandType, _ label: UInt8) {
    guard type == .status, frame.subunit == AVCSubunit.unit, frame.operands.count == 5 else { return refuse(frame, label) }
    var operands: [UInt8] = [0x07, AVCSubunit.panel]
    operands.put(CompanyID.bluetoothSIG, bytes: 3)
    respond(frame, .stable, operands[...], label)
  }

  /// AV/C 4.2, 11.3: a table of four entries a page; the first is the one panel subunit.
  private func subunitInfo(_ frame: AVCFrame, _ type: AVCCommandType, _ label: UInt8) {
    guard type == .status, frame.subunit == AVCSubunit.unit, frame.operands.count == 5, let first = frame.operands.first,
      first & 0x8F == 0x07
    else { return refuse(frame, label) }
    let isFirstPage = first >> 4 == 0
    respond(frame, .stable, [first, isFirstPage ? AVCSubunit.panel : 0xFF, 0xFF, 0xFF, 0xFF], label)
  }

  private func vendorDependent(_ frame: AVCFrame, _ type: AVCCommandType, _ label: UInt8) {
    guard frame.subunit == AVCSubunit.panel else { return refuse(frame, label) }
    let pdu: VendorDependentPDU
    do throws(VendorDependentPDU.Fault) {
      pdu = try VendorDependentPDU(operands: frame.operands)
    } catch {
      switch error {
      case .notOurs: return refuse(frame, label)
      case .lengthMismatch(let number):
        return reject(number, ControlPDUTable.rule(for: number) == nil ? .invalidCommand : .parameterContentError, label)
      }
    }
    // 6.8.2: any other command gives up the rest of a long answer, whatever becomes of it.
    if pdu.pdu != PDUID.requestContinuingResponse.rawValue && pdu.pdu != PDUID.abortContinuingResponse.rawValue {
      continuation.clear()
    }
    guard let rule = ControlPDUTable.rule(for: pdu.pdu), rule.types.contains(type), version >= rule.since else {
      return reject(pdu.pdu, .invalidCommand, label)
    }
    // 4.5: commands always fit one frame.
    guard pdu.packetType == .single else { return reject(pdu.pdu, .parameterContentError, label) }
    do {
      try dispatch(rule.pdu, pdu.parameters, type, label)
    } catch {
      reject(pdu.pdu, error, label)
    }
  }

  private func dispatch(
    _ pdu: PDUID, _ parameters: ArraySlice<UInt8>, _ type: AVCCommandType, _ label: UInt8
  ) throws(StatusCode) {
    switch pdu {
    case .getCapabilities: stable(pdu, try capabilities(parameters), label)
    case .listPlayerApplicationSettingAttributes: stable(pdu, try settingAttributes(parameters), label)
    case .listPlayerApplicationSettingValues: stable(pdu, try settingValues(parameters), label)
    case .getCurrentPlayerApplicationSettingValue: stable(pdu, try currentSettings(parameters), label)
    case .getPlayerApplicationSettingAttributeText: stable(pdu, try settingAttributeTexts(parameters), label)
    case .getPlayerApplicationSettingValueText: stable(pdu, try settingValueTexts(parameters), label)
    case .setPlayerApplicationSettingValue: try setSettings(parameters, label)
    case .informDisplayableCharacterSet:
      try checkCharacterSets(parameters)
      answer(pdu, type == .status ? .stable : .accepted, [], label)
    case .informBatteryStatusOfCT:
      try checkBattery(parameters)
      answer(pdu, type == .status ? .stable : .accepted, [], label)
    case .getElementAttributes: stable(pdu, try elementAttributes(parameters), label)
    case .getPlayStatus: stable(pdu, try playStatus(parameters), label)
    case .registerNotification: try registerNotification(parameters, label)
    case .requestContinuingResponse: try requestContinuing(parameters, label)
    case .abortContinuingResponse:
      guard parameters.count == 1 else { throw .parameterContentError }
      guard let pdu = continuation.pdu, parameters.first == pdu.rawValue else { throw .invalidParameter }
      continuation.clear()
      answer(.abortContinuingResponse, .accepted, [], label)
    case .setAddressedPlayer: try setAddressedPlayer(parameters, label)
    case .playItem: try playItem(parameters, label)
    case .addToNowPlaying: try addToNowPlaying(parameters, label)
    default: throw .invalidCommand
    }
  }

  /// One that may be too long for a frame.
  private func stable(_ pdu: PDUID, _ parameters: [UInt8], _ label: UInt8) {
    send(continuation.begin(pdu, parameters), .stable, label)
  }

  func answer(_ pdu: PDUID, _ type: AVCResponseType, _ parameters: [UInt8], _ label: UInt8) {
    send(VendorDependentPDU(pdu, parameters: parameters[...]), type, label)
  }

  func send(_ pdu: VendorDependentPDU, _ type: AVCResponseType, _ label: UInt8) {
    var packet: [UInt8] = []
    packet.reserveCapacity(
      AVCTPMessage.headerLength + AVCFrame.headerLength + VendorDependentPDU.headerLength + pdu.parameters.count)
    AVCTPMessage.appendHeader(to: &packet, label: label, isResponse: true)
    packet.append(type.rawValue)
    packet.append(AVCSubunit.panel)
    packet.append(AVCOpcode.vendorDependent.rawValue)
    pdu.append(to: &packet)
    sendControl(packet)
  }

  /// REJECTED with the one byte that says why.
  func reject(_ pdu: UInt8, _ status: StatusCode, _ label: UInt8) {
    statistics.rejected += 1
    var response = VendorDependentPDU(.generalReject, parameters: [status.rawValue])
    response.pdu = pdu
    send(response, .rejected, label)
  }

  private func requestContinuing(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    guard parameters.count == 1, let number = parameters.first else { throw .parameterContentError }
    guard let packet = continuation.next(of: number) else { throw .invalidParameter }
    send(packet, .stable, label)
  }

  // MARK: Commands that the model answers

  /// Does `work` after what was asked for before, then answers ACCEPTED or REJECTED.
  /// - Parameter player: is the addressed one from then on.
  func ask(
    _ pdu: PDUID, _ label: UInt8, _ parameters: [UInt8] = [], addressing player: UInt16? = nil,
    _ work: @escaping @Sendable () async throws(StatusCode) -> Void
  ) throws(StatusCode) {
    guard !controlJobs.isFull else { throw .internalError }
    controlJobs.add { [weak self] in
      var fault: StatusCode?
      do throws(StatusCode) { try await work() } catch { fault = error }
      await self?.asked(pdu, label, parameters, addressing: player, fault)
    }
  }

  private func asked(
    _ pdu: PDUID, _ label: UInt8, _ parameters: [UInt8], addressing player: UInt16?, _ fault: StatusCode?
  ) {
    controlJobs.done()
    if let fault { return reject(pdu.rawValue, fault, label) }
    answer(pdu, .accepted, parameters, label)
    if state.player(player) != nil { changeAddressed(to: player) }
  }
}

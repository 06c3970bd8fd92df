extension AVRCPTarget {
  /// 4.4: answered at once, done afterwards.
  func passThrough(_ frame: AVCFrame, _ type: AVCCommandType, _ label: UInt8) {
    // AV/C Panel Subunit 1.1, 9.4: a CONTROL command and nothing else.
    guard frame.subunit == AVCSubunit.panel, type == .control else { return refuse(frame, label) }
    guard let command = PassThroughCommand(operands: frame.operands), command.isWellFormed else {
      statistics.rejected += 1
      return respond(frame, .rejected, frame.operands, label)
    }
    guard let key = command.key, understands(key) else { return refuse(frame, label) }
    respond(frame, .accepted, frame.operands, label)
    take(command.isReleased ? .release(key) : .press(key))
  }

  /// Whether a key, as it stands in a command, would be done.
  func understands(_ command: PassThroughCommand?) -> Bool {
    guard let command, command.isWellFormed, let key = command.key else { return false }
    return understands(key)
  }

  /// Whether the addressed player claims the key.
  private func understands(_ key: PassThroughKey) -> Bool {
    guard let player else { return false }
    switch key {
    case .operation(let operation): return PlayerFeature(operation).map(player.features.contains) ?? false
    case .group: return player.features.contains(.basicGroupNavigation)
    }
  }

  func take(_ input: KeyStateMachine.Input) {
    let actions = keys.take(input, at: timekeeper.now())
    keyAlarm?.cancel()
    keyAlarm = nil
    if let deadline = keys.deadline {
      let delay = max(.zero, deadline - timekeeper.now())
      keyAlarm = timekeeper.alarm(after: delay, leeway: .milliseconds(20), on: queue) { [weak self] in
        self?.assumeIsolated { $0.take(.alarm) }
      }
    }
    perform(actions)
  }

  /// A key that is held when the channel ends must not scrub on.
  func endHeldKey() {
    if keys.deadline != nil { perform(keys.end()) }
  }

  private func perform(_ actions: [TargetAction]) {
    guard let addressed else { return }
    for action in actions where !actionJobs.isFull || action == .scrubEnd {
      actionJobs.add { [weak self, model] in
        await model.perform(action, player: addressed)
        await self?.performed()
      }
    }
  }

  private func performed() { actionJobs.done() }
}

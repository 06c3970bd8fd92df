/// Who wants to hear which signals, and who owns the names they listen to. Confined to the connection's thread.
struct SignalSubscriptions {
  private struct Subscription {
    var rule: SignalRule
    var continuation: AsyncStream<DBusMessage>.Continuation
  }

  private struct Owner {
    var uses: Int
    var uniqueName: String?
    /// The bus has told by signal who it is.
    var isTold = false
  }

  private var subscriptions: [UInt64: Subscription] = [:]
  private var owners: [String: Owner] = [:]

  /// True when the owner of the rule's sender has to be asked for: nobody else listens to that name yet.
  mutating func add(_ id: UInt64, _ rule: SignalRule, _ continuation: AsyncStream<DBusMessage>.Continuation) -> Bool {
    subscriptions[id] = Subscription(rule: rule, continuation: continuation)
    guard rule.hasWellKnownSender, let name = rule.sender else { return false }
    owners[name, default: Owner(uses: 0)].uses += 1
    return owners[name]?.uses == 1
  }

  /// The rule that was in force, and whether its sender's owner need no longer be followed.
  mutating func remove(_ id: UInt64) -> (rule: SignalRule, wasLastForSender: Bool)? {
    guard let rule = subscriptions.removeValue(forKey: id)?.rule else { return nil }
    guard rule.hasWellKnownSender, let name = rule.sender, var owner = owners[name] else { return (rule, false) }
    owner.uses -= 1
    owners[name] = owner.uses > 0 ? owner : nil
    return (rule, owner.uses == 0)
  }

  /// - Parameter isAnswer: it was asked for; an answer that a signal has overtaken counts for nothing.
  mutating func setOwner(of name: String, _ uniqueName: String?, isAnswer: Bool = false) {
    guard var owner = owners[name], !(isAnswer && owner.isTold) else { return }
    owner.uniqueName = uniqueName
    owner.isTold = owner.isTold || !isAnswer
    owners[name] = owner
  }

  /// - Parameter arguments: asked for only when someone wants the signal.
  mutating func deliver(
    sender: String, path: String, interface: String, member: String, _ arguments: () -> [DBusValue]?
  ) {
    var message: DBusMessage?
    for subscription in subscriptions.values where wants(subscription.rule, sender, path, interface, member) {
      if message == nil {
        guard let values = arguments() else { return }
        message = DBusMessage(sender: sender, path: path, interface: interface, member: member, arguments: values)
      }
      guard let message else { return }
      if let arg0 = subscription.rule.arg0 {
        guard case .string(arg0)? = message.arguments.first else { continue }
      }
      subscription.continuation.yield(message)
    }
  }

  func follows(_ name: String) -> Bool { owners[name] != nil }

  mutating func finishAll() {
    let finished = subscriptions.values
    subscriptions = [:]
    owners = [:]
    for subscription in finished { subscription.continuation.finish() }
  }

  private func wants(_ rule: SignalRule, _ sender: String, _ path: String, _ interface: String, _ member: String) -> Bool {
    if let wanted = rule.member, wanted != member { return false }
    if let wanted = rule.interface, wanted != interface { return false }
    if let wanted = rule.path, wanted.text != path { return false }
    guard let wanted = rule.sender else { return true }
    return wanted == sender || owners[wanted]?.uniqueName == sender
  }
}

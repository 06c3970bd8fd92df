import CDBus
import Dispatch
import Reactor

/// Answers the calls that come in: straight from the thread that reads, without a task or a hop, so that `Get` costs little more than
/// the bus itself does.
extension DBusLink {
  /// - Parameter isItsTurn: it has waited already for what its caller asked for before.
  func answer(_ call: OpaquePointer, isItsTurn: Bool = false) {
    do throws(DBusError) {
      try route(call, isItsTurn)
    } catch {
      reply(to: call, error)
    }
  }

  private func route(_ call: OpaquePointer, _ isItsTurn: Bool) throws(DBusError) {
    let path = Self.text(dbus_message_get_path(call))
    let member = Self.text(dbus_message_get_member(call))
    let interface = dbus_message_get_interface(call).map { String(cString: $0) }
    let object = tree.object(path)
    if object == nil, path != "/", tree.children(of: path).isEmpty {
      throw .unknownObject("There is no object at \(path.brief).")
    }

    switch interface {
    case StandardInterfaces.propertiesName? where object != nil:
      try properties(call, member, object, isItsTurn)
    case StandardInterfaces.introspectableName?:
      guard member == "Introspect" else { throw Self.unknown(member, interface) }
      try introspect(call, path, object)
    case StandardInterfaces.peerName?:
      throw Self.unknown(member, interface)
    case let name?:
      guard let target = object?.member(name) else { throw .unknownInterface("\(path.brief) has no interface \(name).") }
      guard let method = target.description.method(member) else { throw Self.unknown(member, name) }
      try invoke(call, target, method, isItsTurn)
    // Without an interface the first that has the method is meant (specification, "Method Calls").
    case nil:
      for target in object?.members ?? [] {
        if let method = target.description.method(member) { return try invoke(call, target, method, isItsTurn) }
      }
      if member == "Introspect" { return try introspect(call, path, object) }
      guard object != nil, StandardInterfaces.properties.method(member) != nil else { throw Self.unknown(member, nil) }
      try properties(call, member, object, isItsTurn)
    }
  }

  // MARK: Order

  /// The state of what may take long is shown after this, as it is then.
  private static let moment = DispatchTimeInterval.milliseconds(100)
  /// A read is answered after this, whatever it waits for: one command that hangs must not take the player's face away.
  private static let patience = DispatchTimeInterval.seconds(1)

  /// Whether `call` has to wait for what its caller asked for before; it is answered when that is done.
  private func waitsItsTurn(_ call: OpaquePointer) -> Bool {
    guard !order.isEmpty else { return false }
    // Held by its timer and by what answers it.
    let held = HeldMessage(call)
    let reader = order.wait(Self.text(dbus_message_get_sender(call))) { [weak self] in
      self?.loop.setTimer(held, at: nil)
      self?.answer(held.message, isItsTurn: true)
    }
    guard let reader else { return false }
    loop.setTimer(held, at: .now() + Self.moment) { [weak self] in
      self?.letGo(reader, onlySlow: true)
      guard let self, order.isWaiting(reader) else { return }
      loop.setTimer(held, at: .now() + Self.patience) { [weak self] in self?.letGo(reader, onlySlow: false) }
    }
    return true
  }

  private func letGo(_ reader: UInt64, onlySlow: Bool) {
    for proceed in order.giveUp(reader, onlySlow: onlySlow) { proceed() }
  }

  /// The answer to a call that others of its caller's wait for; `isSlow` nil: they do not.
  private func replying(to call: OpaquePointer, _ outputs: String, isSlow: Bool?) -> DBusReply {
    let held = HeldMessage(call)
    let number = isSlow.map { order.begin(Self.text(dbus_message_get_sender(call)), isSlow: $0) }
    return DBusReply { [weak self] result in
      self?.run { [weak self] in
        guard let self else { return }
        finish(held, result, outputs)
        if let number { for proceed in order.end(number) { proceed() } }
      }
    }
  }

  private func invoke(
    _ call: OpaquePointer, _ target: ObjectTree.Member, _ method: InterfaceDescription.Method, _ isItsTurn: Bool
  ) throws(DBusError) {
    try check(call, method.inputSignature, "\(target.description.name).\(method.name)")
    let isRead = target.reads.contains(method.name)
    if isRead, !isItsTurn, waitsItsTurn(call) { return }
    let arguments = try MessageReader.arguments(of: call)
    let isSlow = isRead ? nil : target.slow.contains(method.name)
    let reply = replying(to: call, method.outputSignature, isSlow: isSlow)
    target.answerer.call(method.name, arguments, from: Self.text(dbus_message_get_sender(call)), reply: reply)
  }

  private func finish(_ held: HeldMessage, _ result: Result<[DBusValue], DBusError>, _ outputs: String) {
    switch result {
    case .failure(let error): reply(to: held.message, error)
    case .success(let values):
      let signature = values.map(\.signature).joined()
      guard signature == outputs else {
        Log.error("\(Self.text(dbus_message_get_member(held.message))) answered \(signature) where its interface says \(outputs)")
        return reply(to: held.message, .failed("The answer has the wrong type."))
      }
      do throws(DBusError) {
        try reply(to: held.message) { (message) throws(DBusError) in try MessageWriter.append(values, to: message) }
      } catch {
        reply(to: held.message, error)
      }
    }
  }

  private func introspect(_ call: OpaquePointer, _ path: String, _ object: ObjectTree.Object?) throws(DBusError) {
    try check(call, "", "Introspect")
    let standard = object == nil ? StandardInterfaces.ofParent : StandardInterfaces.ofObject
    let text = IntrospectionText.node(
      standard + (object?.members.map(\.description) ?? []), children: tree.children(of: path))
    try reply(to: call) { (message) throws(DBusError) in try MessageWriter.append([.string(text)], to: message) }
  }

  // MARK: Properties

  private func properties(
    _ call: OpaquePointer, _ member: String, _ object: ObjectTree.Object?, _ isItsTurn: Bool
  ) throws(DBusError) {
    guard let method = StandardInterfaces.properties.method(member), let object else {
      throw Self.unknown(member, StandardInterfaces.propertiesName)
    }
    try check(call, method.inputSignature, member)
    if member != "Set", !isItsTurn, waitsItsTurn(call) { return }
    let arguments = try MessageReader.arguments(of: call)
    guard let interface = arguments.first?.asString else { throw .invalidArgs("Properties.\(member) needs an interface.") }
    switch member {
    case "GetAll": try getAll(call, interface, object)
    case "Get": try get(call, interface, arguments[1].asString ?? "", object)
    default: try set(call, interface, arguments[1].asString ?? "", arguments[2], object)
    }
  }

  private func get(
    _ call: OpaquePointer, _ interface: String, _ name: String, _ object: ObjectTree.Object
  ) throws(DBusError) {
    let (target, property) = try find(interface, name, object)
    guard property.isReadable else { throw .accessDenied("\(name) cannot be read.") }
    guard let value = target.answerer.property(name), value.signature == property.type else {
      throw .failed("\(name) has no value now.")
    }
    try reply(to: call) { (message) throws(DBusError) in try MessageWriter.append([.variant(value)], to: message) }
  }

  private func getAll(_ call: OpaquePointer, _ interface: String, _ object: ObjectTree.Object) throws(DBusError) {
    let targets = interface.isEmpty ? object.members : object.member(interface).map { [$0] } ?? []
    if targets.isEmpty, !interface.isEmpty, !StandardInterfaces.ofObject.contains(where: { $0.name == interface }) {
      throw .unknownInterface("There is no interface \(interface.brief) here.")
    }
    let owners = targets.flatMap { target in target.description.readableNames.map { ($0, target) } }
    let byName = Dictionary(owners, uniquingKeysWith: { first, _ in first })
    try reply(to: call) { (message) throws(DBusError) in
      try MessageWriter.appendVardict(to: message, keys: owners.map(\.0)) { name in
        guard let target = byName[name], let value = target.answerer.property(name) else { return nil }
        return value.signature == target.description.property(name)?.type ? value : nil
      }
    }
  }

  private func set(
    _ call: OpaquePointer, _ interface: String, _ name: String, _ value: DBusValue, _ object: ObjectTree.Object
  ) throws(DBusError) {
    let (target, property) = try find(interface, name, object)
    guard property.isWritable else { throw .propertyReadOnly("\(name) cannot be set.") }
    guard case .variant(let inside) = value, inside.signature == property.type else {
      throw .invalidArgs("\(name) is of type \(property.type).")
    }
    target.answerer.setProperty(name, inside, reply: replying(to: call, "", isSlow: false))
  }

  private func find(
    _ interface: String, _ name: String, _ object: ObjectTree.Object
  ) throws(DBusError) -> (ObjectTree.Member, InterfaceDescription.Property) {
    if interface.isEmpty {
      for target in object.members {
        if let property = target.description.property(name) { return (target, property) }
      }
      throw .unknownProperty("There is no property \(name.brief) here.")
    }
    guard let target = object.member(interface) else {
      if StandardInterfaces.ofObject.contains(where: { $0.name == interface }) {
        throw .unknownProperty("\(interface.brief) has no property \(name.brief).")
      }
      throw .unknownInterface("There is no interface \(interface.brief) here.")
    }
    guard let property = target.description.property(name) else {
      throw .unknownProperty("\(interface.brief) has no property \(name.brief).")
    }
    return (target, property)
  }

  /// Leaves out what must not be signalled (`false`, `const`), and names without a value what is only invalidated.
  func propertiesChanged(_ path: ObjectPath, _ interface: String, _ changed: [(String, DBusValue)]) {
    let description = tree.object(path.text)?.member(interface)?.description
    var values: [(String, DBusValue)] = []
    var invalidated: [String] = []
    for (name, value) in changed {
      switch description?.property(name)?.change ?? .value {
      case .value: values.append((name, value))
      case .invalidates: invalidated.append(name)
      case .constant, .never: Log.error("\(interface).\(name) is not to be signalled.")
      }
    }
    guard !values.isEmpty || !invalidated.isEmpty else { return }
    signal(
      path, StandardInterfaces.propertiesName, "PropertiesChanged",
      [.string(interface), .vardict(values), .strings(invalidated)])
  }

  // MARK: Replies

  private func reply(
    to call: OpaquePointer, _ fill: (OpaquePointer) throws(DBusError) -> Void
  ) throws(DBusError) {
    guard dbus_message_get_no_reply(call) == 0, let message = dbus_message_new_method_return(call) else { return }
    defer { dbus_message_unref(message) }
    try fill(message)
    send(message)
  }

  private func reply(to call: OpaquePointer, _ error: DBusError) {
    guard dbus_message_get_no_reply(call) == 0 else { return }
    let isName = !error.name.utf8.contains(0) && dbus_validate_error_name(error.name, nil) != 0
    let name = isName ? error.name : DBusError.failed("").name
    guard let message = dbus_message_new_error(call, name, error.message.replacing("\0", with: "\u{FFFD}")) else { return }
    send(message)
    dbus_message_unref(message)
  }

  private func check(_ call: OpaquePointer, _ signature: String, _ what: String) throws(DBusError) {
    let given = Self.text(dbus_message_get_signature(call))
    guard given == signature else { throw .invalidArgs("\(what) takes “\(signature)”, not “\(given.brief)”.") }
  }

  private static func unknown(_ member: String, _ interface: String?) -> DBusError {
    .unknownMethod("There is no method \(member)\(interface.map { " in \($0)" } ?? "").")
  }
}

/// A call that is answered later.
private final class HeldMessage: @unchecked Sendable {
  let message: OpaquePointer

  init(_ message: OpaquePointer) { self.message = dbus_message_ref(message) ?? message }
  deinit { dbus_message_unref(message) }
}

import Dispatch
import Reactor
import Synchronization

/// One connection to a bus, ours alone. Calls, signals, names and exported objects; the end of the bus is an event
/// (`disconnected`), never the end of the process.
public actor DBusConnection {
  public typealias Bus = DBusBus

  /// Our name on the bus, `:1.7`.
  public nonisolated let uniqueName: String

  private nonisolated let executor: BusExecutor
  private nonisolated let link: DBusLink

  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Connects and registers; nothing but the new connection's own thread waits meanwhile.
  /// - Throws: `Disconnected` when there is no bus there, or the bus's own refusal.
  public static func open(_ bus: Bus) async throws(DBusError) -> DBusConnection {
    let address = try bus.address()
    let executor = BusExecutor()
    let link = DBusLink(loop: executor.loop)
    let result: Result<String, DBusError> = await withCheckedContinuation { continuation in
      link.run { link.start(address) { continuation.resume(returning: $0) } }
    }
    return DBusConnection(executor, link, uniqueName: try result.get())
  }

  private init(_ executor: BusExecutor, _ link: DBusLink, uniqueName: String) {
    self.executor = executor
    self.link = link
    self.uniqueName = uniqueName
  }

  deinit {
    let link = link
    link.loop.async { link.shut() }
  }

  // MARK: The other way: what we ask

  /// - Throws: what the other side answered, `NoReply` after `timeout`, `Disconnected` when the bus goes meanwhile,
  ///   `InvalidArgs` for what cannot be said on a bus, `Failed` when the task is cancelled.
  public func call(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
    timeout: Duration = .seconds(25)
  ) async throws(DBusError) -> [DBusValue] {
    if Task.isCancelled { throw .failed("The call was cancelled.") }
    let link = link
    let key = link.newKey()
    // Sent before anything waits: an async closure does not stay on this actor unless it names it.
    let awaited = AwaitedResult()
    link.call(destination, path, interface, member, arguments, timeout, key: key) { awaited.fulfil($0) }
    let result = await withTaskCancellationHandler {
      await awaited.outcome
    } onCancel: {
      link.run { link.cancelCall(key: key) }
    }
    return try result.get()
  }

  /// A call whose answer nobody wants.
  public nonisolated func tell(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue] = []
  ) {
    link.run { [link] in link.tell(destination, path, interface, member, arguments) }
  }

  /// The signals that match, from when this returns until the stream is let go of or the bus ends.
  /// `sender` may be a well-known name: its owner is followed.
  public func signals(
    sender: String? = nil, path: ObjectPath? = nil, interface: String? = nil, member: String? = nil, arg0: String? = nil
  ) async throws(DBusError) -> AsyncStream<DBusMessage> {
    guard !closed else { throw .disconnected("The connection to the bus has ended.") }
    let rule = SignalRule(sender: sender, path: path, interface: interface, member: member, arg0: arg0)
    let link = link
    let id = link.newKey()
    let (stream, continuation) = AsyncStream.makeStream(of: DBusMessage.self)
    // Listening before the match is in force: nothing that comes with it is missed.
    let isFirstForSender = link.subscriptions.add(id, rule, continuation)
    do throws(DBusError) {
      if isFirstForSender, let sender {
        try await busCall("AddMatch", [.string(Self.ownerRule(sender))])
        if let owner = try? await busCall("GetNameOwner", [.string(sender)]) {
          link.subscriptions.setOwner(of: sender, owner.first?.asString, isAnswer: true)
        }
      }
      try await busCall("AddMatch", [.string(rule.text)])
    } catch {
      _ = link.subscriptions.remove(id)
      throw error
    }
    continuation.onTermination = { _ in link.loop.async { Self.unsubscribe(id, link) } }
    return stream
  }

  /// False when someone else has the name: we do not queue for it.
  public func requestName(_ name: String) async throws(DBusError) -> Bool {
    let doNotQueue: UInt32 = 4
    let answer = try await busCall("RequestName", [.string(name), .uint32(doNotQueue)]).first?.asUInt32
    return answer == 1 || answer == 4
  }

  public func releaseName(_ name: String) async {
    _ = try? await busCall("ReleaseName", [.string(name)])
  }

  /// Whether someone owns `name` now.
  public func nameHasOwner(_ name: String) async throws(DBusError) -> Bool {
    try await busCall("NameHasOwner", [.string(name)]).first?.asBool ?? false
  }

  @discardableResult
  private func busCall(_ member: String, _ arguments: [DBusValue]) async throws(DBusError) -> [DBusValue] {
    try await call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, arguments)
  }

  private static func ownerRule(_ name: String) -> String {
    SignalRule(sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged", arg0: name).text
  }

  private static func unsubscribe(_ id: UInt64, _ link: DBusLink) {
    guard let (rule, wasLast) = link.subscriptions.remove(id) else { return }
    let bus = "org.freedesktop.DBus"
    link.tell(bus, "/org/freedesktop/DBus", bus, "RemoveMatch", [.string(rule.text)])
    guard wasLast, let sender = rule.sender else { return }
    link.tell(bus, "/org/freedesktop/DBus", bus, "RemoveMatch", [.string(ownerRule(sender))])
  }

  // MARK: Our own objects

  /// Answers calls to `path` by these interfaces and no others, replacing what was exported there.
  /// Interfaces whose XML is wrong are a programming error and left out, with a line in the log.
  public func export(_ path: ObjectPath, _ interfaces: [any DBusInterface]) {
    let members = interfaces.compactMap { interface -> ObjectTree.Member? in
      do throws(DBusError) {
        return ObjectTree.Member(answerer: interface, description: try InterfaceDescription(xml: type(of: interface).xml))
      } catch {
        Log.error("An interface of \(path) cannot be exported: \(error)")
        return nil
      }
    }
    link.tree.export(path, members)
  }

  public func unexport(_ path: ObjectPath) { link.tree.unexport(path) }

  /// In the order they are emitted in, from any thread, also among replies.
  public nonisolated func emit(_ path: ObjectPath, _ interface: String, _ signal: String, _ arguments: [DBusValue]) {
    link.run { [link] in link.signal(path, interface, signal, arguments) }
  }

  /// `PropertiesChanged`; nothing when `changed` is empty. Properties that the interface says are never signalled, are not.
  public nonisolated func emitPropertiesChanged(
    _ path: ObjectPath, _ interface: String, _ changed: [(String, DBusValue)]
  ) {
    guard !changed.isEmpty else { return }
    link.run { [link] in link.propertiesChanged(path, interface, changed) }
  }

  // MARK: The end

  public nonisolated var closed: Bool { link.isClosed.load(ordering: .acquiring) }

  /// A stream that gives one element when the connection ends, by our hand or the bus's, and ends; one made later ends at once.
  public nonisolated var disconnected: AsyncStream<Void> { link.ended.subscribe() }

  /// Writes what was sent (for at most half a second: the bus may have stopped reading), then lets go of the connection.
  public func close() async {
    let link = link
    link.loop.setTimer(link, at: .now() + .milliseconds(500)) { link.shut() }
    await withCheckedContinuation { continuation in
      link.afterWriting { continuation.resume() }
    }
    link.loop.setTimer(link, at: nil)
    link.shut()
  }
}

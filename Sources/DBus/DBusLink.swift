import CDBus
import Dispatch
import Reactor
import Synchronization

/// libdbus's connection and everything that hangs on it, confined to one thread: every method but `run` is called there.
/// `DBusConnection` is its public face; `DBusLink+Answering` answers the calls that come in.
final class DBusLink: @unchecked Sendable {
  let loop: BusLoop
  /// Sends `()` once when the bus is gone, then ends.
  let ended = Broadcast<Void>()
  let isClosed = Atomic<Bool>(false)
  var tree = ObjectTree()
  var order = CallOrder()
  var subscriptions = SignalSubscriptions()
  private(set) var connection: OpaquePointer?

  private let pending: PendingCalls
  private var watches: Set<OpaquePointer> = []
  private var timeouts: [OpaquePointer: BusTimeout] = [:]
  /// Inside libdbus, in a place that drains afterwards.
  private var isInside = false
  private var drainIsScheduled = false
  private var whenWritten: [() -> Void] = []
  private let lastKey = Atomic<UInt64>(0)

  init(loop: BusLoop) {
    self.loop = loop
    pending = PendingCalls(on: loop)
  }

  /// At once when called on the thread, else as soon as it is free; in order either way.
  func run(_ body: @escaping @Sendable () -> Void) {
    if loop.isCurrent { body() } else { loop.async(body) }
  }

  func newKey() -> UInt64 { lastKey.add(1, ordering: .relaxed).newValue }

  // MARK: Coming and going

  /// Connects and says Hello. `completion` gets our unique name.
  func start(_ address: String, _ completion: @escaping (Result<String, DBusError>) -> Void) {
    guard !address.utf8.contains(0) else { return completion(.failure(.invalidArgs("Not a bus address."))) }
    var failure = CDBus.DBusError()
    dbus_error_init(&failure)
    defer { dbus_error_free(&failure) }
    guard let connection = dbus_connection_open_private(address, &failure) else {
      let reason = failure.message.map { String(cString: $0) } ?? ""
      return completion(.failure(.disconnected("Cannot reach the bus: \(reason)")))
    }
    self.connection = connection
    dbus_connection_set_exit_on_disconnect(connection, 0)
    guard installCallbacks(connection) else {
      shut()
      return completion(.failure(.failed("Out of memory or descriptors while connecting to the bus.")))
    }
    call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello", [], .seconds(25), key: newKey()) {
      [self] result in
      switch result {
      case .success(let values):
        completion(.success(values.first?.asString ?? ""))
      case .failure(let error):
        completion(.failure(error))
        shut()
      }
    }
  }

  /// Lets go of everything. What still waits fails; what was not written yet is lost.
  func shut() {
    guard let connection else { return }
    self.connection = nil
    isClosed.store(true, ordering: .releasing)
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_timeout_functions(connection, nil, nil, nil, nil, nil)
    dbus_connection_set_dispatch_status_function(connection, nil, nil, nil)
    for watch in watches { loop.remove(watch) }
    for timeout in timeouts.values { timeout.cancel() }
    watches = []
    timeouts = [:]
    dbus_connection_remove_filter(connection, Self.filter, Unmanaged.passUnretained(self).toOpaque())
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
    tree.removeAll()
    order.removeAll()
    pending.failAll(.disconnected("The connection to the bus has ended."))
    subscriptions.finishAll()
    let waiting = whenWritten
    whenWritten = []
    for resume in waiting { resume() }
    ended.send(())
    ended.finish()
  }

  /// Calls `completion` when all that was sent has been written, at once where that is so or the connection is gone.
  func afterWriting(_ completion: @escaping () -> Void) {
    guard let connection, dbus_connection_has_messages_to_send(connection) != 0 else { return completion() }
    whenWritten.append(completion)
  }

  // MARK: Sending

  func send(_ message: OpaquePointer) {
    guard let connection else { return }
    dbus_connection_send(connection, message, nil)
  }

  func call(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue],
    _ timeout: Duration, key: UInt64, _ completion: @escaping PendingCalls.Completion
  ) {
    guard let connection else { return completion(.failure(.disconnected("The connection to the bus has ended."))) }
    do {
      let message = try Self.methodCall(destination, path, interface, member, arguments)
      defer { dbus_message_unref(message) }
      var serial: UInt32 = 0
      guard dbus_connection_send(connection, message, &serial) != 0 else {
        return completion(.failure(.limitsExceeded("Out of memory.")))
      }
      pending.add(serial: serial, key: key, timeout: timeout, completion)
    } catch {
      completion(.failure(error))
    }
  }

  /// A call that nobody waits for.
  func tell(_ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
    guard let message = try? Self.methodCall(destination, path, interface, member, arguments) else { return }
    dbus_message_set_no_reply(message, 1)
    send(message)
    dbus_message_unref(message)
  }

  func cancelCall(key: UInt64) { pending.cancel(key: key) }

  func signal(_ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]) {
    guard connection != nil, dbus_validate_interface(interface, nil) != 0, dbus_validate_member(member, nil) != 0,
      let message = dbus_message_new_signal(path.text, interface, member)
    else { return }
    defer { dbus_message_unref(message) }
    do {
      try MessageWriter.append(arguments, to: message)
      send(message)
    } catch {
      Log.error("The signal \(interface).\(member) could not be written: \(error)")
    }
  }

  private static func methodCall(
    _ destination: String, _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]
  ) throws(DBusError) -> OpaquePointer {
    guard !destination.utf8.contains(0), dbus_validate_bus_name(destination, nil) != 0 else {
      throw .invalidArgs("Not a bus name: \(destination.brief)")
    }
    guard !interface.utf8.contains(0), dbus_validate_interface(interface, nil) != 0, !member.utf8.contains(0),
      dbus_validate_member(member, nil) != 0
    else { throw .invalidArgs("Not an interface and a member: \(interface.brief).\(member.brief)") }
    guard let message = dbus_message_new_method_call(destination, path.text, interface, member) else {
      throw .limitsExceeded("Out of memory.")
    }
    do {
      try MessageWriter.append(arguments, to: message)
    } catch {
      dbus_message_unref(message)
      throw error
    }
    return message
  }

  // MARK: Receiving

  private func receive(_ message: OpaquePointer) -> DBusHandlerResult {
    switch dbus_message_get_type(message) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL:
      answer(message)
    case DBUS_MESSAGE_TYPE_METHOD_RETURN, DBUS_MESSAGE_TYPE_ERROR:
      pending.complete(serial: dbus_message_get_reply_serial(message), Self.result(of: message))
    case DBUS_MESSAGE_TYPE_SIGNAL:
      if dbus_message_is_signal(message, "org.freedesktop.DBus.Local", "Disconnected") != 0 {
        shut()
      } else {
        deliver(message)
      }
    default:
      return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
    }
    return DBUS_HANDLER_RESULT_HANDLED
  }

  private static func result(of message: OpaquePointer) -> Result<[DBusValue], DBusError> {
    do throws(DBusError) {
      let values = try MessageReader.arguments(of: message)
      guard dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_ERROR else { return .success(values) }
      let name = text(dbus_message_get_error_name(message))
      return .failure(DBusError(name: name, message: values.first?.asString ?? ""))
    } catch {
      return .failure(error)
    }
  }

  private func deliver(_ message: OpaquePointer) {
    let sender = Self.text(dbus_message_get_sender(message))
    let interface = Self.text(dbus_message_get_interface(message))
    let member = Self.text(dbus_message_get_member(message))
    if sender == "org.freedesktop.DBus", member == "NameOwnerChanged", let values = try? MessageReader.arguments(of: message),
      values.count == 3, let name = values[0].asString, subscriptions.follows(name)
    {
      subscriptions.setOwner(of: name, values[2].asString.flatMap { $0.isEmpty ? nil : $0 })
    }
    subscriptions.deliver(
      sender: sender, path: Self.text(dbus_message_get_path(message)), interface: interface, member: member
    ) {
      try? MessageReader.arguments(of: message)
    }
  }

  static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }

  // MARK: libdbus's wishes

  private static let filter: DBusHandleMessageFunction = { _, message, data in
    guard let message, let link = DBusLink.from(data) else { return DBUS_HANDLER_RESULT_NOT_YET_HANDLED }
    return link.receive(message)
  }

  /// Unretained: `shut` takes all callbacks back before this object can go (the loop holds it until then).
  private static func from(_ data: UnsafeMutableRawPointer?) -> DBusLink? {
    data.map { Unmanaged<DBusLink>.fromOpaque($0).takeUnretainedValue() }
  }

  private func installCallbacks(_ connection: OpaquePointer) -> Bool {
    let me = Unmanaged.passUnretained(self).toOpaque()
    dbus_connection_set_dispatch_status_function(
      connection, { _, status, data in if status == DBUS_DISPATCH_DATA_REMAINS { DBusLink.from(data)?.dataRemains() } }, me, nil)
    let watching = dbus_connection_set_watch_functions(
      connection,
      { watch, data in DBusLink.from(data)?.add(watch: watch) == true ? 1 : 0 },
      { watch, data in if let watch { DBusLink.from(data)?.remove(watch: watch) } },
      // Whether a watch is enabled is asked before each wait.
      { _, _ in }, me, nil)
    let timing = dbus_connection_set_timeout_functions(
      connection,
      { timeout, data in DBusLink.from(data)?.add(timeout: timeout) == true ? 1 : 0 },
      { timeout, data in if let timeout { DBusLink.from(data)?.timeouts.removeValue(forKey: timeout)?.cancel() } },
      { timeout, data in if let timeout { DBusLink.from(data)?.timeouts[timeout]?.update() } }, me, nil)
    return watching != 0 && timing != 0 && dbus_connection_add_filter(connection, Self.filter, me, nil) != 0
  }

  private func add(timeout: OpaquePointer?) -> Bool {
    guard let timeout else { return false }
    timeouts[timeout] = BusTimeout(timeout, on: loop)
    return true
  }

  private func add(watch: OpaquePointer?) -> Bool {
    guard let watch else { return false }
    watches.insert(watch)
    loop.add(watch) { [self] condition in handle(watch, condition) }
    return true
  }

  private func remove(watch: OpaquePointer) {
    watches.remove(watch)
    loop.remove(watch)
  }

  private func handle(_ watch: OpaquePointer, _ condition: UInt32) {
    guard let connection else { return }
    dbus_connection_ref(connection)
    isInside = true
    dbus_watch_handle(watch, condition)
    isInside = false
    drain(connection)
    if !whenWritten.isEmpty, self.connection == nil || dbus_connection_has_messages_to_send(connection) == 0 {
      let waiting = whenWritten
      whenWritten = []
      for resume in waiting { resume() }
    }
    dbus_connection_unref(connection)
  }

  /// From inside libdbus, where dispatching is forbidden.
  private func dataRemains() {
    guard !isInside, !drainIsScheduled else { return }
    drainIsScheduled = true
    loop.async { [self] in
      drainIsScheduled = false
      guard let connection else { return }
      dbus_connection_ref(connection)
      drain(connection)
      dbus_connection_unref(connection)
    }
  }

  /// Works off what has arrived, a hundred messages at a time: a flood must not keep the thread from everything else.
  private func drain(_ connection: OpaquePointer) {
    isInside = true
    var left = 100
    while left > 0, dbus_connection_dispatch(connection) == DBUS_DISPATCH_DATA_REMAINS { left -= 1 }
    isInside = false
    if self.connection != nil, dbus_connection_get_dispatch_status(connection) == DBUS_DISPATCH_DATA_REMAINS { dataRemains() }
  }
}

import DBus
import Reactor

/// Follows bluetoothd's objects on one connection to the system bus. `changes` tells that something is another; what, is looked up.
actor BlueZWatch {
  let connection: DBusConnection
  private(set) var objects = BlueZObjects()
  /// bluetoothd's connection; nil while it does not run. Another one is another bluetoothd.
  private(set) var owner: String?
  nonisolated let changes = Broadcast<Void>()
  /// What was said while everything was being asked for: part of it may be in the answer, all of it holds after it.
  private var heardMeanwhile: [DBusMessage]?

  init(_ connection: DBusConnection) { self.connection = connection }

  /// Until the bus or the task ends.
  func run() async throws(DBusError) {
    let bus = "org.freedesktop.DBus"
    let owners = try await connection.signals(
      sender: bus, interface: bus, member: "NameOwnerChanged", arg0: BlueZ.name)
    // One stream for all that it says: an adapter that goes and comes back at once must not be taken for one that came and went.
    let words = try await connection.signals(sender: BlueZ.name)
    await withDiscardingTaskGroup { group in
      group.addTask { for await signal in words { await self.hear(signal) } }
      await load()
      for await signal in owners {
        if signal.arguments.last?.asString?.isEmpty == false { await load() } else { lose() }
      }
      group.cancelAll()
    }
    changes.finish()
  }

  private func load() async {
    heardMeanwhile = []
    do throws(DBusError) {
      let bus = "org.freedesktop.DBus"
      // GetNameOwner first: asking org.bluez itself would have the bus start bluetoothd.
      let owner = try await connection.call(bus, "/org/freedesktop/DBus", bus, "GetNameOwner", [.string(BlueZ.name)]).first?
        .asString
      // By its unique name: the answer of a successor would be told with the successor.
      let managed = try await connection.call(owner ?? BlueZ.name, "/", BlueZ.objectManager, "GetManagedObjects")
      self.owner = owner
      if let managed = managed.first { objects.replace(managed) }
    } catch {
      Log.info("bluetoothd does not run: \(error)")
      owner = nil
      objects = BlueZObjects()
    }
    let heard = heardMeanwhile ?? []
    heardMeanwhile = nil
    for signal in heard where signal.sender == owner { _ = take(signal) }
    changes.send(())
  }

  private func lose() {
    owner = nil
    objects = BlueZObjects()
    changes.send(())
  }

  private func hear(_ signal: DBusMessage) {
    if heardMeanwhile != nil { heardMeanwhile?.append(signal) } else if take(signal) { changes.send(()) }
  }

  /// True when it concerns anything we look at.
  private func take(_ signal: DBusMessage) -> Bool {
    // What a bluetoothd that has ended said last comes after its successor was asked.
    guard signal.sender == owner, let first = signal.arguments.first?.asString, signal.arguments.count > 1 else { return false }
    switch (signal.interface, signal.member) {
    case (BlueZ.objectManager, "InterfacesAdded"):
      objects.add(first, signal.arguments[1])
      return true
    case (BlueZ.objectManager, "InterfacesRemoved"):
      guard let names = signal.arguments[1].asStrings else { return false }
      objects.remove(first, names)
      return true
    case (BlueZ.properties, "PropertiesChanged"):
      guard let values = signal.arguments[1].asDictionary else { return false }
      let invalidated = signal.arguments.count > 2 ? signal.arguments[2].asStrings ?? [] : []
      return objects.change(signal.path, first, values, invalidated: invalidated)
    default: return false
    }
  }
}

import DBus
import Reactor

/// Follows bluetoothd's objects on one connection to the system bus. `changes` tells that something is another; what, is looked up.
actor BlueZWatch {
  let connection: DBusConnection
  private(set) var objects = BlueZObjects()
  /// bluetoothd's connection; nil while it does not run. Another one is another bluetoothd.
  private(set) var owner: String?
  nonisolated let changes = Broadcast<Void>()

  init(_ connection: DBusConnection) { self.connection = connection }

  /// Until the bus or the task ends.
  func run() async throws(DBusError) {
    let bus = "org.freedesktop.DBus"
    let owners = try await connection.signals(
      sender: bus, interface: bus, member: "NameOwnerChanged", arg0: BlueZ.name)
    let added = try await connection.signals(sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesAdded")
    let removed = try await connection.signals(sender: BlueZ.name, interface: BlueZ.objectManager, member: "InterfacesRemoved")
    let changed = try await connection.signals(sender: BlueZ.name, interface: BlueZ.properties, member: "PropertiesChanged")
    await load()
    await withDiscardingTaskGroup { group in
      group.addTask { for await signal in added { await self.add(signal) } }
      group.addTask { for await signal in removed { await self.remove(signal) } }
      group.addTask { for await signal in changed { await self.change(signal) } }
      for await signal in owners {
        if signal.arguments.last?.asString?.isEmpty == false { await load() } else { lose() }
      }
      group.cancelAll()
    }
    changes.finish()
  }

  private func load() async {
    do throws(DBusError) {
      let bus = "org.freedesktop.DBus"
      // GetNameOwner first: asking org.bluez itself would have the bus start bluetoothd.
      let owner = try await connection.call(bus, "/org/freedesktop/DBus", bus, "GetNameOwner", [.string(BlueZ.name)]).first?
        .asString
      let managed = try await connection.call(BlueZ.name, "/", BlueZ.objectManager, "GetManagedObjects")
      self.owner = owner
      if let managed = managed.first { objects.replace(managed) }
    } catch {
      Log.info("bluetoothd does not run: \(error)")
      owner = nil
    }
    changes.send(())
  }

  private func lose() {
    owner = nil
    objects = BlueZObjects()
    changes.send(())
  }

  private func add(_ signal: DBusMessage) {
    guard signal.arguments.count == 2, let path = signal.arguments[0].asString else { return }
    objects.add(path, signal.arguments[1])
    changes.send(())
  }

  private func remove(_ signal: DBusMessage) {
    guard signal.arguments.count == 2, let path = signal.arguments[0].asString, let names = signal.arguments[1].asStrings else {
      return
    }
    objects.remove(path, names)
    changes.send(())
  }

  private func change(_ signal: DBusMessage) {
    guard signal.arguments.count == 3, let interface = signal.arguments[0].asString,
      let values = signal.arguments[1].asDictionary
    else { return }
    let isOfInterest = objects.change(
      signal.path, interface, values, invalidated: signal.arguments[2].asStrings ?? [])
    if isOfInterest { changes.send(()) }
  }
}

import DBus

/// What `car status` and `doctor` say.
extension CarFace {
  func status() async -> DBusValue {
    let objects = await watch?.objects ?? BlueZObjects()
    let registeredOn = await registered?.adapters ?? []
    let adapters = objects.adapters.map { path -> DBusValue in
      let properties = objects.properties(path, BlueZ.adapter)
      return .vardict([
        ("path", .string(path)), ("address", .string(properties["Address"]?.asString ?? "")),
        ("powered", .boolean(properties["Powered"]?.asBool ?? false)), ("registered", .boolean(registeredOn.contains(path))),
      ])
    }
    var cars: [DBusValue] = []
    for session in sessions.values.sorted(by: { $0.number < $1.number }) { cars.append(await session.description()) }
    let devices = objects.devices.filter(\.isConnected).map { device -> DBusValue in
      .vardict([
        ("address", .string(device.address)), ("name", .string(device.name)), ("audio", .boolean(device.hasTransport)),
        ("streaming", .boolean(device.isStreaming)), ("controlled", .boolean(device.isControlled)),
      ])
    }
    return .vardict([
      ("layer", .string(layer.rawValue)), ("sentence", .string(await sentence(registeredOn))),
      ("player", .string(registeredOn.isEmpty ? "" : MediaPlayerObject.path.text)),
      ("adapters", .array(element: "a{sv}", adapters)), ("devices", .array(element: "a{sv}", devices)),
      ("cars", .array(element: "a{sv}", cars)),
    ])
  }

  private func sentence(_ registeredOn: Set<String>) async -> String {
    switch layer {
    case .none: "There is no bluetoothd with an adapter."
    case .own:
      profileRefusal.map { "bluetoothd leaves AVRCP to others, but does not take our profile: \($0)" }
        ?? (doorRefusal == nil
          ? "We answer cars ourselves, and they can browse."
          : "We answer cars ourselves; for browsing we dial them, as there is no listener (\(doorRefusal ?? "")).")
    case .bluez:
      if await proxies.isThere {
        "mpris-proxy runs and forwards us to bluetoothd, so we stand aside; stop it and we do so ourselves."
      } else if let refusal = await registered?.refusal, registeredOn.isEmpty {
        // Up to BlueZ 5.85 that is what a bluetoothd without AVRCP says, whose record is not ours.
        refusal.name == "org.bluez.Error.NotSupported"
          ? "bluetoothd leaves AVRCP to others, and another program has it (a second ipodderx-car?); we take it when that has ended."
          : "bluetoothd answers cars itself, but does not take our player: \(refusal)."
      } else if registeredOn.isEmpty {
        "bluetoothd answers cars itself, but no adapter of it offers to take our player."
      } else {
        "bluetoothd answers cars itself with what our player tells it (no browsing; see `car enable`)."
      }
    }
  }
}

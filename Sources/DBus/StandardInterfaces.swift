/// The interfaces that every object has (D-Bus specification, "Standard Interfaces"); answered by `CallAnswerer`.
/// Peer is answered by libdbus itself, for any path, before a filter sees it.
enum StandardInterfaces {
  static let introspectableName = "org.freedesktop.DBus.Introspectable"
  static let peerName = "org.freedesktop.DBus.Peer"
  static let propertiesName = "org.freedesktop.DBus.Properties"

  static let introspectable = InterfaceDescription(
    name: introspectableName,
    methods: [.init("Introspect", [], [.init(name: "xml_data", type: "s")], [])], signals: [], properties: [], annotations: [])

  static let peer = InterfaceDescription(
    name: peerName,
    methods: [.init("Ping", [], [], []), .init("GetMachineId", [], [.init(name: "machine_uuid", type: "s")], [])],
    signals: [], properties: [], annotations: [])

  static let properties = InterfaceDescription(
    name: propertiesName,
    methods: [
      .init(
        "Get", [.init(name: "interface_name", type: "s"), .init(name: "property_name", type: "s")],
        [.init(name: "value", type: "v")], []),
      .init("GetAll", [.init(name: "interface_name", type: "s")], [.init(name: "props", type: "a{sv}")], []),
      .init(
        "Set",
        [.init(name: "interface_name", type: "s"), .init(name: "property_name", type: "s"), .init(name: "value", type: "v")],
        [], []),
    ],
    signals: [
      .init(
        name: "PropertiesChanged",
        arguments: [
          .init(name: "interface_name", type: "s"), .init(name: "changed_properties", type: "a{sv}"),
          .init(name: "invalidated_properties", type: "as"),
        ], annotations: [])
    ], properties: [], annotations: [])

  /// Those of an exported object, and those of a path that only leads to one.
  static let ofObject = [introspectable, peer, properties]
  static let ofParent = [introspectable, peer]
}

import AVRCP

/// Our service records as bluetoothd takes them (XML of its `sdp-xml`): AVRCP 1.6.2, section 8, tables 8.1 and 8.2.
enum ServiceRecord {
  static let controlPSM: UInt16 = 23
  static let browsingPSM: UInt16 = 27

  static func features(_ settings: CarSettings) -> ServiceFeatures {
    var features: ServiceFeatures = [.category1, .playerApplicationSettings, .groupNavigation]
    if settings.version >= .v14 {
      features.insert(.multiplePlayers)
      if settings.offersBrowsing { features.insert(.browsing) }
    }
    return features
  }

  static func target(_ settings: CarSettings) -> String {
    let features = features(settings)
    let browsing =
      features.contains(.browsing)
      ? """
        <attribute id="0x000d"><sequence><sequence>
          <sequence><uuid value="0x0100"/><uint16 value="\(hex(browsingPSM))"/></sequence>
          <sequence><uuid value="0x0017"/><uint16 value="\(hex(avctp(settings)))"/></sequence>
        </sequence></sequence></attribute>
      """ : ""
    return record(settings, classes: ["0x110c"], name: "AVRCP TG", features, more: browsing)
  }

  /// The controller that we are to a car's amplifier: without it a car does not tell of its volume, nor has it set.
  static func controller(_ settings: CarSettings) -> String {
    record(settings, classes: ["0x110e", "0x110f"], name: "AVRCP CT", [.category2])
  }

  private static func record(
    _ settings: CarSettings, classes: [String], name: String, _ features: ServiceFeatures, more: String = ""
  ) -> String {
    """
    <?xml version="1.0" encoding="UTF-8" ?>
    <record>
      <attribute id="0x0001"><sequence>\(classes.map { "<uuid value=\"\($0)\"/>" }.joined())</sequence></attribute>
      <attribute id="0x0004"><sequence>
        <sequence><uuid value="0x0100"/><uint16 value="\(hex(controlPSM))"/></sequence>
        <sequence><uuid value="0x0017"/><uint16 value="\(hex(avctp(settings)))"/></sequence>
      </sequence></attribute>
      <attribute id="0x0005"><sequence><uuid value="0x1002"/></sequence></attribute>
      <attribute id="0x0009"><sequence>
        <sequence><uuid value="0x110e"/><uint16 value="\(hex(settings.version.rawValue))"/></sequence>
      </sequence></attribute>
    \(more)
      <attribute id="0x0100"><text value="\(name)"/></attribute>
      <attribute id="0x0311"><uint16 value="\(hex(features.rawValue))"/></attribute>
    </record>
    """
  }

  /// It goes one behind the profile, up to 1.4.
  private static func avctp(_ settings: CarSettings) -> UInt16 { min(settings.version.rawValue - 1, 0x0104) }

  private static func hex(_ value: UInt16) -> String {
    let digits = String(value, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}

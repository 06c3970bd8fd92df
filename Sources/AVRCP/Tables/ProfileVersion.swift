/// The profile's version as the service record writes it: major in the high byte, minor in the low one.
public struct ProfileVersion: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let unknown = ProfileVersion(rawValue: 0)
  public static let v10 = ProfileVersion(rawValue: 0x0100)
  public static let v13 = ProfileVersion(rawValue: 0x0103)
  public static let v14 = ProfileVersion(rawValue: 0x0104)
  public static let v15 = ProfileVersion(rawValue: 0x0105)
  public static let v16 = ProfileVersion(rawValue: 0x0106)

  /// "1.4"; nil for anything but 1.0 to 1.6.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0] == "1", parts[1].utf8.count == 1, let minor = UInt16(parts[1]), minor <= 6 else {
      return nil
    }
    self.init(rawValue: 0x0100 | minor)
  }

  public static func < (a: ProfileVersion, b: ProfileVersion) -> Bool { a.rawValue < b.rawValue }
  public var description: String { "\(rawValue >> 8).\(rawValue & 0xFF)" }
}

/// AVRCP 1.6.2, 8 (table 8.1 and 8.2): SupportedFeatures of a service record.
public struct ServiceFeatures: OptionSet, Sendable, Hashable {
  public var rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let category1 = ServiceFeatures(rawValue: 0x0001)
  public static let category2 = ServiceFeatures(rawValue: 0x0002)
  public static let category3 = ServiceFeatures(rawValue: 0x0004)
  public static let category4 = ServiceFeatures(rawValue: 0x0008)
  public static let playerApplicationSettings = ServiceFeatures(rawValue: 0x0010)
  public static let groupNavigation = ServiceFeatures(rawValue: 0x0020)
  public static let browsing = ServiceFeatures(rawValue: 0x0040)
  public static let multiplePlayers = ServiceFeatures(rawValue: 0x0080)
  public static let coverArt = ServiceFeatures(rawValue: 0x0100)
}

import Reactor

/// Checked settings. What nobody set has its standard value.
public struct SettingsValues: Sendable, Equatable {
  private var texts: [String: String] = [:]

  public init() {}

  /// The value as it stands in the file, or the standard one.
  public subscript(_ name: String) -> String {
    texts[name] ?? SettingKey.named(name)?.standard ?? ""
  }

  /// What was set, not what is standard.
  public func set(_ name: String) -> String? { texts[name] }

  /// Checks and takes over one value; an empty one goes back to the standard.
  public mutating func set(_ name: String, to text: String) throws(SettingsError) {
    guard let key = SettingKey.named(name) else {
      throw SettingsError(.unknownKey, "There is no setting “\(name.brief)”; `ipodderx-car get` lists them.")
    }
    do {
      let value = try key.kind.check(text)
      texts[name] = value.isEmpty ? nil : value
    } catch {
      throw SettingsError(error.code, "“\(name)” \(error.description), not “\(text.brief)”.")
    }
  }

  public func isOn(_ name: String) -> Bool { SettingKind.truth(self[name]) ?? false }
  /// Nil where unset and without a standard.
  public func number(_ name: String) -> Double? { Double(self[name]) }
  public func count(_ name: String) -> Int? { Int(self[name]) }
  public func bytes(_ name: String) -> Int64? { SettingKind.bytes(self[name]) }

  /// The parts between commas, trimmed; `no` and nothing are none.
  public func names(_ name: String) -> [String] {
    let text = self[name]
    guard text != "no" else { return [] }
    return text.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
  }
}

extension Substring {
  /// Without the white space around it.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}

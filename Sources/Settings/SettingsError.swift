/// Why a setting or its file was refused; `description` is a sentence for a person.
public struct SettingsError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    case unknownKey
    case badValue
    case unreadable
    case unwritable
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

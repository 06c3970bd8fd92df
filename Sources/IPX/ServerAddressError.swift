/// Why an address was refused; `description` is a sentence for a person.
public struct ServerAddressError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    case empty
    case badScheme
    case badHost
    case badPort
    case badPath
    case credentials
    case insecure
  }

  public var code: Code
  public var description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

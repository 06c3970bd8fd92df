/// Why the store could not do what it was asked; `description` is a sentence for a person.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Sendable {
    /// The file is not a store, or damaged.
    case corrupt
    /// Written by a newer version of this program.
    case newer
    /// No room on the disk.
    case full
    /// The file or its folder cannot be written.
    case readOnly
    case cannotOpen
    /// Another process holds the store too long.
    case busy
    /// A mistake of ours, or a failing disk.
    case failed
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

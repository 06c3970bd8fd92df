/// A text that must not be seen: whatever prints, logs or dumps it gets dots.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  /// Nil for what cannot be one: empty, or with anything but printable ASCII in it (it is to go into a header line).
  public init?(_ text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    self.text = String(text)
  }

  /// Only where it goes out to the server, or into its keeping.
  public func reveal() -> String { text }

  public var description: String { "••••" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

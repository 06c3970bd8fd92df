import Glibc

/// Where a command writes: text for a person or JSON for a program, to standard output or to a test's own sink.
public struct Output: Sendable {
  public var isJSON = false
  /// Columns, when it is a terminal.
  public var terminalWidth: Int?
  private let write: @Sendable (String) -> Void

  public init(terminalWidth: Int? = nil, write: @escaping @Sendable (String) -> Void) {
    self.terminalWidth = terminalWidth
    self.write = write
  }

  public static var standard: Output {
    Output(terminalWidth: Terminal.width(of: STDOUT_FILENO)) { text in
      var bytes = Array(text.utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        // A reader that went away (`| head`) is no fault of ours.
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
      }
    }
  }

  /// One line for a person; nothing in JSON mode.
  public func line(_ text: String = "") {
    if !isJSON { write(text + "\n") }
  }

  /// The whole answer for a program; nothing in text mode.
  public func json(_ value: JSON) {
    if isJSON { write(value.text + "\n") }
  }

  /// A line to standard error, beside the answer: why it takes longer.
  public func aside(_ text: String) {
    _ = (Terminal.printable(text) + "\n").withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// As it is, in either mode.
  public func raw(_ text: String) { write(text) }
}

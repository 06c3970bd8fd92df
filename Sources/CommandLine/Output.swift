import Glibc

/// Where a command writes: text for a person or JSON for a program, to standard output or to a test's own sink.
public struct Output: Sendable {
  public var isJSON = false
  /// Columns, when it is a terminal.
  public var terminalWidth: Int?
  private let write: @Sendable (String) -> Void
  private let problem: @Sendable () -> String?

  /// - Parameter problem: why not everything could be written so far, as a sentence; nil: it was.
  public init(
    terminalWidth: Int? = nil, write: @escaping @Sendable (String) -> Void, problem: @escaping @Sendable () -> String? = { nil }
  ) {
    self.terminalWidth = terminalWidth
    self.write = write
    self.problem = problem
  }

  public static var standard: Output {
    let target = WrittenDescriptor(STDOUT_FILENO)
    return Output(terminalWidth: Terminal.width(of: STDOUT_FILENO), write: target.write) {
      target.failure.map { "Standard output cannot be written: \($0)." }
    }
  }

  /// - Throws: `.refused` where what was printed did not all arrive: half an answer is none.
  func checkWritten() throws(CommandError) {
    if let problem = problem() { throw .refused(problem) }
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
    _ = (text.printable + "\n").withCString { Glibc.write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// As it is, in either mode.
  public func raw(_ text: String) { write(text) }
}

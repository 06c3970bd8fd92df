/// One word of the command line: what it takes, what it says of itself, what it does. Help, completion and the man page are all
/// made from the same table of these.
public struct Command: Sendable {
  /// How one argument is completed by a shell.
  public enum Completes: Sendable {
    case nothing, files, folders, items, settings
    case words([String])
  }

  public struct Option: Sendable {
    /// Without the dashes.
    public var name: String
    /// What stands for its value in the help; nil: a flag.
    public var value: String?
    public var help: String
    public var completes: Completes

    public init(_ name: String, _ value: String? = nil, _ help: String, completes: Completes = .nothing) {
      self.name = name
      self.value = value
      self.help = help
      self.completes = completes
    }
  }

  public var name: String
  /// As in the synopsis: `[ID]`, `KEY VALUE`.
  public var arguments: String
  /// How many positional arguments it takes.
  public var count: ClosedRange<Int>
  public var summary: String
  /// Whole sentences for the man page and `help NAME`.
  public var details: String
  public var options: [Option]
  public var completes: Completes
  public var printsData: Bool
  public var run: @Sendable (Invocation) async throws(CommandError) -> Void

  public init(
    _ name: String, takes arguments: String = "", count: ClosedRange<Int> = 0...0, _ summary: String, details: String = "",
    options: [Option] = [], completes: Completes = .nothing, printsData: Bool = false,
    run: @escaping @Sendable (Invocation) async throws(CommandError) -> Void
  ) {
    self.name = name
    self.arguments = arguments
    self.count = count
    self.summary = summary
    self.details = details
    self.options = options
    self.completes = completes
    self.printsData = printsData
    self.run = run
  }

  public var synopsis: String {
    var parts = [name]
    if !arguments.isEmpty { parts.append(arguments) }
    // A command that takes every setting lists them below; here they would be a page.
    if options.count > 8 { parts.append("[--OPTION VALUE]...") }
    for option in options where options.count <= 8 {
      parts.append("[--" + option.name + (option.value.map { " " + $0 } ?? "") + "]")
    }
    if printsData { parts.append("[--json]") }
    return parts.joined(separator: " ")
  }
}

/// How a command ends when it does not end well.
public struct CommandError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Code: Int32, Sendable {
    /// Refused, with a sentence.
    case refused = 1
    /// The words were off.
    case usage = 2
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  public static func refused(_ sentence: String) -> CommandError { .init(.refused, sentence) }
  public static func usage(_ sentence: String) -> CommandError { .init(.usage, sentence) }
}

import Reactor

/// One command as it was called: its arguments, its options, and where its output goes.
public struct Invocation: Sendable {
  public var arguments: [String]
  public var options: [String: String]
  public var output: Output

  public init(arguments: [String] = [], options: [String: String] = [:], output: Output) {
    self.arguments = arguments
    self.options = options
    self.output = output
  }

  public subscript(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }

  /// The value of an option that must be a number.
  public func number(_ option: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
    guard let text = options[option] else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw .usage("--\(option) takes a whole number from \(range.lowerBound) to \(range.upperBound), not “\(text.brief)”.")
    }
    return value
  }

  /// Sorts words into arguments and options, by what `command` says it takes. `--` ends the options.
  public static func parse(_ words: [String], for command: Command, output: Output) throws(CommandError) -> Invocation {
    var invocation = Invocation(output: output)
    var rest = words[...]
    var optionsEnded = false
    while let word = rest.popFirst() {
      guard word.hasPrefix("--"), !optionsEnded else {
        invocation.arguments.append(word)
        continue
      }
      if word == "--" {
        optionsEnded = true
        continue
      }
      let (name, attached) = split(word.dropFirst(2))
      if name == "json", command.printsData, attached == nil {
        invocation.output.isJSON = true
        continue
      }
      guard let option = command.options.first(where: { $0.name == name }) else {
        throw .usage("`\(command.name)` has no option --\(name.brief); see `ipodderx-car help \(command.name)`.")
      }
      if option.value == nil {
        guard attached == nil else { throw .usage("--\(name) takes no value.") }
        invocation.options[name] = ""
      } else if let value = attached ?? rest.popFirst() {
        invocation.options[name] = value
      } else {
        throw .usage("--\(name) takes a value: \(option.value ?? "").")
      }
    }
    guard command.count.contains(invocation.arguments.count) else {
      throw .usage("usage: ipodderx-car \(command.synopsis)")
    }
    return invocation
  }

  private static func split(_ word: Substring) -> (String, String?) {
    guard let equals = word.firstIndex(of: "=") else { return (String(word), nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }
}

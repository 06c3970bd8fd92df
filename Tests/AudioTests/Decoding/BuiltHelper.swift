@testable import Audio

/// The decode helper as this package's build made it: it lies beside the test bundle.
enum BuiltHelper {
  static var path: String {
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? ""
    guard let end = bundle.lastIndex(of: "/") else { return fromSources }
    return bundle[..<end] + "/" + HelperProgram.name
  }

  private static var fromSources: String {
    #filePath.split(separator: "/").dropLast(4).reduce("") { $0 + "/" + $1 } + "/.build/debug/" + HelperProgram.name
  }

  static var program: HelperProgram { HelperProgram(path: path) }
}

import Glibc
import Reactor

/// A folder of its own for a test, removed with all that is in it when the last owner lets go.
public final class TemporaryFolder: Sendable {
  public let path: String

  public init() {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/ipodderx-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no temporary folder can be made in \(base)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    removeFolder(path)
  }

  public func file(_ name: String) -> String { path + "/" + name }

  public func names(_ folder: String = "") -> [String] {
    folderNames(folder.isEmpty ? path : file(folder)).sorted()
  }

  public func write(_ bytes: [UInt8], to name: String) {
    guard let file = fopen(file(name), "w") else { return }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }

  public func read(_ name: String) -> [UInt8]? {
    guard let file = fopen(file(name), "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
    return bytes
  }
}

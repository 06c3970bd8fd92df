import Glibc
import Reactor

/// The names of running processes, from /proc.
enum ProcessList {
  static func contains(_ name: String) -> Bool {
    for process in folderNames("/proc") {
      guard process.first?.isNumber == true, let file = fopen("/proc/\(process)/comm", "r") else { continue }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = fread(&bytes, 1, bytes.count, file)
      if String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self) == name { return true }
    }
    return false
  }
}

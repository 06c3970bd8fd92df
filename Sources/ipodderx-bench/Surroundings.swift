import Glibc

/// When and on what machine, for whoever reads the figures later; printed before and after, since the load may change meanwhile.
enum Surroundings {
  static var line: String {
    var name = utsname()
    uname(&name)
    var moment = time(nil)
    var day = tm()
    gmtime_r(&moment, &day)
    var date = [CChar](repeating: 0, count: 32)
    strftime(&date, date.count, "%Y-%m-%d %H:%M UTC", &day)
    let cores = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    return "\(text(date)), \(cores) × \(processor), Linux \(text(of: &name.release)), load \(load)"
  }

  private static var processor: String {
    let line = ProcessFigures.text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown processor"
  }

  private static var load: String {
    ProcessFigures.text("/proc/loadavg").split(separator: " ").prefix(2).joined(separator: " ")
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func text<Tuple>(of tuple: inout Tuple) -> String {
    withUnsafeBytes(of: &tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

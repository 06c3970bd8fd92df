import Glibc
import Reactor

/// What the kernel knows of a process, all its threads together.
struct ProcessFigures {
  /// User and system time, in seconds (clock ticks of 10 ms where the scheduler's own count cannot be read).
  var cpu = 0.0
  /// VmHWM, in kB.
  var peak = 0
  /// VmRSS, in kB.
  var resident = 0
  var threads = 0
  var descriptors = 0

  init?(pid: pid_t) {
    let tasks = folderNames("/proc/\(pid)/task")
    guard !tasks.isEmpty else { return nil }
    threads = tasks.count
    let status = Self.text("/proc/\(pid)/status")
    resident = Self.field("VmRSS:", status)
    peak = Self.field("VmHWM:", status)
    descriptors = folderNames("/proc/\(pid)/fd").count
    cpu = Self.processorSeconds(pid)
  }

  /// How often a process gave its core up (it waited for something), and how often a core was taken from it (others were to run).
  struct Switches: Sendable {
    var voluntary = 0
    var involuntary = 0
  }

  /// By thread alive.
  static func switches(of pid: pid_t) -> [String: Switches] {
    var counts: [String: Switches] = [:]
    for task in folderNames("/proc/\(pid)/task") {
      let status = text("/proc/\(pid)/task/\(task)/status")
      counts[task] = Switches(
        voluntary: field("voluntary_ctxt_switches:", status), involuntary: field("nonvoluntary_ctxt_switches:", status))
    }
    return counts
  }

  /// Finer than /proc/PID/stat, and it counts threads that have ended too.
  private static func processorSeconds(_ pid: pid_t) -> Double {
    var clock = clockid_t()
    guard clock_getcpuclockid(pid, &clock) == 0 else { return 0 }
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private static func field(_ name: String, _ text: String) -> Int {
    for line in text.split(separator: "\n") where line.hasPrefix(name) {
      return Int(line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first ?? "") ?? 0
    }
    return 0
  }

  static func text(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 16384)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// Time since boot, in seconds: the one clock of the whole bench.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The bench may sleep: it measures, it is not measured.
func pause(_ seconds: Double) {
  usleep(UInt32(max(0, seconds) * 1e6))
}

/// Looks every 2 ms until `found` gives something, for at most `limit` seconds.
func wait<Value>(_ limit: Double, for found: () -> Value?) -> Value? {
  let end = now() + limit
  while now() < end {
    if let value = found() { return value }
    usleep(2000)
  }
  return found()
}

/// Printed at once, also into a pipe.
func say(_ line: String) {
  print(line)
  fflush(nil)
}

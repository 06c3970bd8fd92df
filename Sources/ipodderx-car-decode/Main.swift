import CAVFormat
import CLinux
import DecodeWire
import Glibc

@main struct Main {
  /// Decoding needs some tens of megabytes; the index of a day in MP4 some more.
  static let memory: UInt64 = 384 << 20
  /// An hour of sound takes some seconds; what takes this long turns in circles.
  static let processorSeconds: UInt64 = 7200

  static func main() {
    let socket = WireLimits.helperDescriptor
    let isTrial = CommandLine.arguments.dropFirst().first == "--prove-confinement"
    if isTrial { dup2(STDOUT_FILENO, socket) }
    guard fcntl(socket, F_GETFD) >= 0 else {
      let text = "ipodderx-car-decode is started by ipodderx-car, when a file needs it.\n"
      _ = write(STDERR_FILENO, text, text.utf8.count)
      exit(2)
    }
    av_log_set_level(AV_LOG_QUIET)
    let guards = clinux_confine(socket, memory, processorSeconds)
    guard guards >= 0 else { exit(4) }
    if isTrial { exit(ConfinementTrial.run(guards: guards, writingTo: socket)) }
    Service(WireSocket(socket)).run()
  }
}

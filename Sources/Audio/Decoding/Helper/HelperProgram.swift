import CLinux
import DecodeWire
import Glibc
import Reactor

/// The executable that decodes what this process does not, and how it is started.
struct HelperProgram: Sendable {
  static let name = "ipodderx-car-decode"

  /// Nil: not installed.
  var path: String?

  /// By `IPODDERX_CAR_DECODE`, else beside this executable, else where `make install` puts it.
  static let installed: HelperProgram = {
    let path = OwnProgram.companion(name, override: "IPODDERX_CAR_DECODE")
    return HelperProgram(path: access(path, X_OK) == 0 ? path : nil)
  }()

  /// Starts it, with one end of a new socket as all it gets.
  func start() throws(DecoderError) -> HelperLink {
    guard let path else {
      throw DecoderError(.unsupported, "The decoder for this kind of file (\(Self.name)) is not installed.")
    }
    var ends: [Int32] = [0, 0]
    guard clinux_stream_pair(&ends) == 0 else {
      throw DecoderError(.helperDied, "The decoder for this kind of file cannot start: \(String(cString: strerror(errno))).")
    }
    defer { close(ends[1]) }
    // Nothing of ours goes along: no words in the environment, no standard streams.
    let environment = getenv("LD_LIBRARY_PATH").map { ["LD_LIBRARY_PATH": String(cString: $0)] } ?? [:]
    do throws(ChildProcess.Failure) {
      let child = try ChildProcess(
        path, environment: environment, descriptors: [WireLimits.helperDescriptor: ends[1]], endsWithUs: true)
      return HelperLink(ends[0], child)
    } catch {
      close(ends[0])
      throw DecoderError(.helperDied, "The decoder for this kind of file cannot start: \(error.description)")
    }
  }
}

import CLinux
import Dispatch
import Glibc
import Reactor
import Synchronization

/// Runs a program to its end and gives what it wrote on stdout and stderr.
public enum CapturedProgram {
  public struct Output: Sendable {
    public var status: Int32
    public var text: String
  }

  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil
  ) async throws -> Output {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw PrivateSound.Failure(description: "no pipe")
    }
    let (reader, writer) = (ends[0], ends[1])
    defer { close(reader) }
    let child: ChildProcess
    do {
      defer { close(writer) }
      child = try ChildProcess(program, arguments, environment: environment, descriptors: [1: writer, 2: writer])
    }
    let text = await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: readAll(reader)) }
    }
    return Output(status: await child.wait().status, text: text)
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

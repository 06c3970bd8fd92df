import CLinux
import Dispatch
import Glibc
import Reactor

/// A stranger's program run to its end: what it said, and how it ended. One that does not end within a minute is ended (status 124).
public struct ToolRun: Sendable {
  public var status: Int32
  public var output: String
  public var error: String

  public struct Failure: Error, CustomStringConvertible {
    public var description: String
    public init(description: String) { self.description = description }
  }

  /// - Parameter input: on its standard input, a few KB at most; nil: nothing, at its end from the start.
  public static func run(
    _ program: String, _ arguments: [String], environment: [String: String]? = nil, input: String? = nil
  ) async throws -> ToolRun {
    let output = try PipeEnds()
    let error = try PipeEnds()
    let given = try PipeEnds()
    // It fits into the pipe, so nobody waits for a reader.
    let bytes = Array((input ?? "").utf8)
    _ = bytes.withUnsafeBytes { write(given.writer, $0.baseAddress, $0.count) }
    close(given.writer)
    let child: ChildProcess
    do {
      defer {
        close(output.writer)
        close(error.writer)
        close(given.reader)
      }
      child = try ChildProcess(
        "timeout", ["-k", "2", "60", program] + arguments, environment: environment,
        descriptors: [0: given.reader, 1: output.writer, 2: error.writer])
    } catch {
      close(output.reader)
      throw error
    }
    async let outputText = readAll(output.reader)
    async let errorText = readAll(error.reader)
    let (text, complaint) = await (outputText, errorText)
    return ToolRun(status: await child.wait().status, output: text, error: complaint)
  }

  /// Everything until the end of the pipe; closes it.
  private static func readAll(_ descriptor: Int32) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
          let count = read(descriptor, &buffer, buffer.count)
          if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
        }
        close(descriptor)
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }
}

/// A pipe whose ends no child inherits unasked.
public struct PipeEnds: Sendable {
  public let reader: Int32
  public let writer: Int32

  public init() throws {
    var ends: [Int32] = [0, 0]
    guard clinux_pipe(&ends) == 0 else { throw ToolRun.Failure(description: "no pipe: errno \(errno)") }
    (reader, writer) = (ends[0], ends[1])
  }
}

import Dispatch
import HTTP
import Media
import Reactor
import TestKit
import Testing

/// Reads a source as a decoder does: on a thread of its own, and checks every byte.
struct Listener: Sendable {
  let source: HTTPByteSource

  init(
    _ server: FaultServer, _ path: String = "/e.mp3", credentials: HTTPByteSource.CredentialSource? = nil,
    network: NetworkWatch = NetworkWatch(listens: false), patience: Duration = .seconds(20), idle: Duration = .milliseconds(300),
    readAhead: Int64 = 480_000, time: any Timekeeper = SystemTimekeeper()
  ) {
    self.init(
      url: server.url(path), credentials: credentials, network: network, patience: patience, idle: idle, readAhead: readAhead,
      time: time)
  }

  /// - Parameter time: the source's own; the client's is the machine's.
  init(
    url: String, credentials: HTTPByteSource.CredentialSource? = nil, network: NetworkWatch = NetworkWatch(listens: false),
    patience: Duration = .seconds(20), idle: Duration = .milliseconds(300), readAhead: Int64 = 480_000,
    time: any Timekeeper = SystemTimekeeper()
  ) {
    var options = HTTPByteSource.Options()
    (options.network, options.patience, options.idleTimeout, options.readAhead) = (network, patience, idle, readAhead)
    // The shortest of the waits.
    options.chance = { 1 }
    source = HTTPByteSource(
      url: url, client: HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "tests"), timekeeper: time,
      credentials: credentials,
      options: options)
  }

  /// What was read from `from` on: up to `count` bytes, fewer at the end of the file.
  func read(_ from: Int64 = 0, _ count: Int = .max, piece: Int = 8192) async throws -> [UInt8] {
    try await onThread {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: piece)
      while bytes.count < count {
        let size = min(piece, count - bytes.count)
        let got = try buffer.withUnsafeMutableBytes {
          try source.read(at: from + Int64(bytes.count), into: UnsafeMutableRawBufferPointer(rebasing: $0[..<size]))
        }
        if got == 0 { break }
        bytes += buffer[..<got]
      }
      return bytes
    }
  }

  /// The error that reading ends in.
  func failure(_ from: Int64 = 0, _ count: Int = .max) async -> ByteSourceError.Code? {
    do {
      _ = try await read(from, count)
      return nil
    } catch {
      return (error as? ByteSourceError)?.code
    }
  }

  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "listener").async { continuation.resume(with: .init(catching: body)) }
    }
  }
}

func numbered(_ range: Range<Int64>, seed: UInt64 = 0) -> [UInt8] {
  range.map { FaultServer.Content.numbered(at: $0, seed: seed) }
}

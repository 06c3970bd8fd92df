import Dispatch
import HTTP
import Media
import Reactor
import TestKit
import Testing

@testable import Audio

/// A server that gives every file from its beginning on only, whatever part is asked for.
@Suite("The corpus from a server that ignores ranges", .timeLimit(.minutes(5))) struct CorpusInOrderTests {
  private static let turns = Turns(2)
  private static let client = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "tests")

  private static func source(_ server: FaultServer) -> HTTPByteSource {
    var options = HTTPByteSource.Options()
    options.patience = .seconds(30)
    // Much less than a file is held.
    options.readAhead = 64 << 10
    options.network = NetworkWatch(listens: false)
    return HTTPByteSource(url: server.url("/e"), client: client, timekeeper: SystemTimekeeper(), options: options)
  }

  @Test("any place is found, right to the sample: within what is held, beyond it, and back", arguments: CorpusTests.sounding)
  func seeks(file: CorpusFile) async throws {
    let made = try await file.make()
    guard case .sound(let truth) = made.outcome else { return }
    // They block a thread each.
    let turn = await Self.turns.take()
    defer { withExtendedLifetime(turn) {} }
    let server = try FaultServer(.bytes(made.bytes))
    server.answer = { _ in .ignoringRange }
    let source = Self.source(server)
    defer { source.close() }
    // Reading blocks, and is no business of the tests' own threads.
    let faults = try await onThread { () throws -> [String] in
      let decoder = try DecoderFactory.open(
        source, typeHint: nil, expectedLength: file.feedLength.map { MediaTime(seconds: $0) }, helper: BuiltHelper.program)
      var faults: [String] = []
      if !decoder.description.isSeekable { faults.append("not seekable") }
      for place in [0, 0.62, 3.013, truth.length * 0.7, truth.length - 1, 0.3, truth.length * 0.5] {
        let landed = try decoder.seek(to: MediaTime(seconds: place)).seconds
        // Some begin a little behind their beginning.
        if abs(landed - place) > (place == 0 ? 0.1 : 0.03) { faults.append("sent to \(place), landed at \(landed)") }
        let decoded = try Decoded(decoder, limit: 0.6)
        let start = decoded.runs.first?.start ?? -1
        if abs(start - landed) > 0.1 { faults.append("at \(place), but sounds from \(start) on") }
        faults += truth.faults(of: decoded).map { "at \(place): \($0)" }
      }
      return faults
    }
    #expect(faults == [])
  }

  private func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "in order").async { continuation.resume(with: .init(catching: body)) }
    }
  }
}

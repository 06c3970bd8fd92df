import TestKit
import Testing

/// A fault of the road, and how much silence it may cost with what the bytes offered.
struct Fault: Sendable, CustomTestStringConvertible {
  var name: String
  /// The answers to the first requests; after them all is well.
  var replies: [FaultServer.Reply] = []
  /// Silence that the bytes offered force, as seconds in all: none unless told.
  var silence = 0.0
  /// Answers every request that has no reply of its own.
  var always: FaultServer.Reply?
  var path = "/e.mp3"
  /// The file's length can be known before its end.
  var tellsLength = true
  var answer: FaultServer.Answer?

  var testDescription: String { name }

  /// The first request brings a second and a half, the second two more, and all are asked for as soon as the road allows: what takes a second
  /// to pass is put on the third, when there is sound enough for a machine that is busy with other things.
  static let all: [Fault] = [
    Fault(name: "all is well"),
    Fault(name: "rule 76: cut once, early", replies: [.cut(after: 12_000)], silence: 0.3),
    Fault(name: "rule 76: cut once, later", replies: [.well, .cut(after: 9000)]),
    Fault(name: "rule 76: cut three times", replies: [.well, .cut(after: 9000), .cut(after: 0), .cut(after: 1)]),
    Fault(name: "rule 76: short parts", replies: [.well, .short(5000), .short(1), .short(777)]),
    Fault(name: "a stall, with sound held", replies: [.well, .well, .stall(after: 1000)]),
    Fault(name: "a stall, with none held", replies: [.stall(after: 6000)], silence: 1.5),
    Fault(name: "a silent server", replies: [.well, .well, .silent]),
    Fault(name: "reset", replies: [.well, .cut(after: 5000, reset: true), .cut(after: 0, reset: true)]),
    Fault(name: "hanging up", replies: [.well, .hangingUp, .hangingUp]),
    Fault(name: "503 twice", replies: [.well, .well, .status(503), .status(503)]),
    Fault(name: "503 with Retry-After", replies: [.well, .well, .status(503, retryAfter: "1")]),
    Fault(name: "429 with Retry-After", replies: [.well, .well, .status(429, retryAfter: "1")]),
    Fault(name: "503 before the first byte", replies: [.status(503), .status(500)]),
    Fault(name: "rule 95: Range ignored always", always: .ignoringRange),
    Fault(name: "rule 95: Range ignored once, later", replies: [.well, .ignoringRange]),
    Fault(name: "a shifted range", replies: [.well, .shifted(by: 10)]),
    Fault(name: "a lying Content-Range", replies: [.well, .lyingRange("bytes 5-100/400000")]),
    Fault(name: "rule 92: a part's own length", replies: [], always: .short(20_000)),
    Fault(name: "rule 90: chunked, no length", always: .chunked, tellsLength: false),
    Fault(name: "rule 90: no length, no chunks", always: .lengthless, tellsLength: false),
    Fault(name: "gzip by mistake", always: .gzipped, tellsLength: false),
    Fault(name: "rule 93: another type's name", always: .well.adding("Content-Type", "application/force-download")),
    Fault(
      name: "rule 89: ten redirects, absolute and relative", path: "/r10",
      answer: { request in
        guard request.path.hasPrefix("/r"), let left = Int(request.path.dropFirst(2)), left > 0 else { return nil }
        return .redirect(left % 2 == 0 ? "r\(left - 1)" : "/r\(left - 1)", status: [301, 302, 303, 307, 308][left % 5])
      }),
    Fault(
      name: "an expired redirect target: each serves once, then 403", path: "/episode",
      answer: { request in
        guard request.path == "/episode" else { return request.path == "/signed?\(request.number - 1)" ? nil : .status(403) }
        return .redirect("/signed?\(request.number)")
      }),
    Fault(name: "rule 88: spaces and umlauts in the address", path: "/die folge größer.mp3 "),
  ]
}

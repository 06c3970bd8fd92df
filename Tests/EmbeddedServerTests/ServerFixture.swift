import FoundationEssentials
import Glibc

@testable import EmbeddedServer

/// A server that runs as long as it is held, over a folder of its own or a library.
final class ServerFixture {
  let server: EmbeddedServer
  let port: UInt16

  init(
    _ library: any ServedLibrary = SeededLibrary(feeds: 3, entries: 50),
    _ change: (inout EmbeddedServerOptions) -> Void = { _ in }
  )
    throws
  {
    var options = EmbeddedServerOptions()
    change(&options)
    server = EmbeddedServer(options, library: library)
    port = try server.start()
  }

  deinit { server.stop() }

  func get(_ target: String, _ headers: [String: String] = [:]) throws -> RawClient.Answer {
    try RawClient.ask(port, "GET", target, headers)
  }

  func put(_ target: String, _ body: String) throws -> RawClient.Answer {
    try RawClient.ask(port, "PUT", target, body: body)
  }

  func json<Value: Decodable>(_ target: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(try get(target).body))
  }
}

/// A folder that is gone with its holder.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/embedded-server-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    let target = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: String(target[..<target.lastIndex(of: "/")!]), withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: target))
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }
}

/// The API's shapes as a test reads them, apart from the server's own writing of them.
struct EntryShape: Decodable {
  struct Enclosure: Decodable {
    let id: Int64
    let url: String
    let type: String
    let bytes: Int64
    let deadair: String?
  }

  let id: Int64
  let feedId: Int64
  let guid: String
  let title: String
  let published: String
  let read: Bool
  let starred: Bool
  let position: Double
  let positionAt: String?
  let duration: Double?
  let summary: String?
  let chapters: String?
  let artwork: String?
  let enclosures: [Enclosure]
}

struct PageShape: Decodable {
  let entries: [EntryShape]
  let next: String?
  let sync: String
}

struct FeedShape: Decodable {
  let id: Int64
  let title: String
  let folder: String?
  let artwork: String?
  let unread: Int
  let total: Int
}

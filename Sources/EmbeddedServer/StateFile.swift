import FoundationEssentials
import Glibc
import Reactor
import Synchronization

/// Positions, read and starred by path, in `state.json`: always a whole file, on the disk before the caller has its answer.
/// Where nothing can be written they are held in memory, and a warning says so once.
final class StateFile: Sendable {
  private struct Line: Codable {
    var position: Double?
    var at: String?
    var read: Bool?
    var starred: Bool?
  }

  private struct Contents: Codable {
    var version = 1
    var entries: [String: Line] = [:]
  }

  private struct State {
    var lines: [String: EntryState] = [:]
    var writable: Bool
  }

  private let library: String
  private let folder: String?
  private let state: Mutex<State>

  /// `folder`: where to write; nil: nowhere. What is not there yet is first read from `library`'s own, as it was handed out.
  init(library: String, folder: String?) {
    (self.library, self.folder) = (library, folder)
    state = Mutex(State(writable: folder != nil))
  }

  subscript(path: String) -> EntryState? { state.withLock { $0.lines[path] } }

  func load() {
    let paths = [folder, library + "/.ipodderx"].compactMap { $0.map { $0 + "/state.json" } }
    guard let path = paths.first(where: { access($0, F_OK) == 0 }) else { return }
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
      let contents = try? JSONDecoder().decode(Contents.self, from: data), contents.version == 1
    else {
      setAside(path)
      return
    }
    state.withLock { $0.lines = contents.entries.mapValues(Self.state) }
  }

  func keep(_ entry: EntryState, of path: String) {
    state.withLock { state in
      state.lines[path] = entry
      guard state.writable, let folder else { return }
      do throws(EmbeddedServerError) {
        try Self.write(state.lines, to: folder)
      } catch {
        state.writable = false
        Log.warning("\(error) Places and read marks are kept until the server ends only.")
      }
    }
  }

  /// Puts what was written beyond the reach of a power cut.
  func sync() {
    guard let folder else { return }
    let descriptor = open(folder + "/state.json", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  /// What is not understood may be a newer version's, or what is left of somebody's places: never written over.
  private func setAside(_ path: String) {
    let aside = path + ".unreadable"
    Log.warning("\(path) is not understood. It is put aside as \(aside), and places begin anew.")
    if rename(path, aside) != 0 { state.withLock { $0.writable = false } }
  }

  private static func state(_ line: Line) -> EntryState {
    var state = EntryState()
    state.read = line.read ?? false
    state.starred = line.starred ?? false
    if let position = line.position, position.isFinite, position >= 0 { state.position = position }
    state.positionAt = line.at.flatMap(Timestamp.time)
    return state
  }

  private static func write(_ states: [String: EntryState], to folder: String) throws(EmbeddedServerError) {
    let lines = states.mapValues { state in
      Line(
        position: state.position, at: state.positionAt.map(Timestamp.text), read: state.read ? true : nil,
        starred: state.starred ? true : nil)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard let data = try? encoder.encode(Contents(entries: lines)) else { return }
    if mkdir(folder, 0o755) != 0, errno != EEXIST { throw failure("The folder \(folder) cannot be made") }
    let (path, part) = (folder + "/state.json", folder + "/state.json.part")
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("\(path) cannot be written") }
    let written = data.withUnsafeBytes { Self.writeAll($0, to: descriptor) }
    let closed = close(descriptor) == 0
    guard written, closed, rename(part, path) == 0 else {
      let failure = failure("\(path) cannot be written")
      unlink(part)
      throw failure
    }
  }

  private static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func failure(_ sentence: String) -> EmbeddedServerError {
    EmbeddedServerError(.system, "\(sentence): \(String(cString: strerror(errno))).")
  }
}

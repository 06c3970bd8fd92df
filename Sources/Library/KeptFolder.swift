import Glibc
import Media
import Reactor

/// The folder of kept files: whole files under their own names, a note beside each (`NAME.about`), and what is being fetched
/// (`Download.partialNames`). Foreign files may lie there too.
struct KeptFolder: Sendable {
  let path: String

  private static let noteEnding = ".about"
  /// A note holds the names and titles of one episode.
  private static let longestNote = 64 << 10

  /// - Throws: where it is not there and cannot be made, as a sentence.
  func make() throws(KeepError) {
    if let slash = path.lastIndex(of: "/") { makeFolders(String(path[..<slash])) }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw KeepError(.diskFull, "\(path) cannot be made: \(String(cString: strerror(errno))).")
    }
  }

  /// What stands there as a whole file, ours or not.
  func wholeFiles() -> [String] {
    folderNames(path).filter { !Download.isPartial($0) && !$0.hasSuffix(Self.noteEnding) }
  }

  /// Whole files with a note.
  func notedFiles() -> [String] {
    folderNames(path).compactMap { $0.hasSuffix(Self.noteEnding) ? String($0.dropLast(Self.noteEnding.count)) : nil }
  }

  func partials() -> [String] { folderNames(path).filter(Download.isPartial) }

  /// Nil for what is no regular file.
  func info(_ name: String) -> stat? {
    var info = stat()
    return lstat(path + "/" + name, &info) == 0 && info.st_mode & S_IFMT == S_IFREG ? info : nil
  }

  func size(_ name: String) -> Int64? { info(name).map { Int64($0.st_size) } }

  /// Bytes that may be written here still; nil where that cannot be told.
  var free: Int64? {
    var info = statvfs()
    guard statvfs(path, &info) == 0 else { return nil }
    let (bytes, isTooMany) = Int64(clamping: info.f_bavail).multipliedReportingOverflow(by: Int64(clamping: info.f_frsize))
    return isTooMany ? .max : bytes
  }

  func note(of name: String) -> KeptNote? {
    let descriptor = open(path + "/" + name + Self.noteEnding, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: Self.longestNote)
    let count = read(descriptor, &text, text.count)
    guard count > 0, count < text.count else { return nil }
    return KeptNote(Array(text[..<count]))
  }

  /// Whole, or not at all.
  /// - Returns: whether it is there now.
  @discardableResult
  func write(_ note: KeptNote, of name: String) -> Bool {
    guard let text = note.text, text.count < Self.longestNote else { return false }
    let (file, part) = (path + "/" + name + Self.noteEnding, path + "/" + name + ".new" + Self.noteEnding)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    let isWritten = Glibc.write(descriptor, text, text.count) == text.count
    close(descriptor)
    guard isWritten, rename(part, file) == 0 else {
      unlink(part)
      return false
    }
    return true
  }

  /// Before the store forgets the file, or it would be found again.
  func forget(_ name: String) { unlink(path + "/" + name + Self.noteEnding) }

  func remove(_ name: String) { unlink(path + "/" + name) }
}

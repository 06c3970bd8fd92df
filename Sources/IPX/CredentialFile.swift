import CLinux
import Glibc
import Reactor

/// A file that only its owner may read: checked when it is read, and written whole or not at all.
struct CredentialFile: Sendable {
  let path: String

  /// Far more than tokens and cookies need.
  private static let longest = 1 << 20

  /// Nil where there is none.
  func read() throws(CredentialError) -> String? {
    // No link is followed: it could stand for a file of somebody else's choosing.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw failure(errno == ELOOP ? .notOurs : .disk, "cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw failure(.notOurs, "is not used: it is not a file of your own")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw failure(.readableByOthers, "is not used: others may read it. Say: chmod 600 '\(path)'")
    }
    guard status.st_size <= Self.longest else { throw failure(.notOurs, "is not used: it is too long") }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while bytes.count <= Self.longest {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(.disk, "cannot be read: \(String(cString: strerror(errno)))") }
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// On the disk, and beyond a power cut, when it returns.
  func write(_ text: String) throws(CredentialError) {
    if let slash = path.lastIndex(of: "/") { makeFolders(String(path[..<slash])) }
    let part = path + ".\(getpid()).part"
    unlink(part)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw unwritten() }
    let written = Self.writeAll(Array(text.utf8), to: descriptor) && fsync(descriptor) == 0
    let failure = written ? nil : unwritten()
    guard close(descriptor) == 0, failure == nil, rename(part, path) == 0 else {
      let failure = failure ?? unwritten()
      unlink(part)
      throw failure
    }
  }

  private func unwritten() -> CredentialError {
    failure(.disk, "cannot be written: \(String(cString: strerror(errno)))")
  }

  private func failure(_ code: CredentialError.Code, _ sentence: String) -> CredentialError {
    CredentialError(code, "\(path) \(sentence).")
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

import Glibc

/// The incomplete file of a download and the note beside it. Used by one transfer at a time.
final class PartialFile: @unchecked Sendable {
  private let path: String
  private let descriptor: Int32
  private(set) var size: Int64
  private var identity: FileIdentity
  /// For the player; nil where it cannot be had.
  private(set) var part: HeldPart?
  var version: FileVersion { identity.version ?? FileVersion() }
  /// For `If-Range`.
  var condition: String? { identity.condition }
  /// Who plays the file, if anybody does.
  var donor: () -> HTTPByteSource? = { nil }

  /// Takes up what is there. A partial without a readable note, or longer than it may be, begins anew.
  init(_ path: String) throws(DownloadError) {
    self.path = path
    descriptor = open(path + ".partial", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw DownloadError.disk(errno, path) }
    // Two players may share a home: who comes second would write into what the first is about to call whole.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw DownloadError(.offline, "Another player is fetching it.")
    }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw DownloadError(.notWritable, "\(path).partial is not a file.")
    }
    size = Int64(info.st_size)
    let note = Self.readNote(path + ".partial.version")
    identity = FileIdentity(note)
    if note?.validator == nil || size > (note?.length ?? .max) { try startAnew() }
    part = HeldPart(path + ".partial", inode: UInt(info.st_ino), size: size, version: version)
  }

  deinit { close(descriptor) }

  var isComplete: Bool { version.length.map { $0 > 0 && size == $0 } ?? false }

  func startAnew() throws(DownloadError) {
    part?.has(0, of: FileVersion())
    guard ftruncate(descriptor, 0) == 0 else { throw DownloadError.disk(errno, path) }
    size = 0
    identity.startAnew()
  }

  /// The note is written before any byte that it speaks of.
  func learn(_ other: FileVersion) throws(DownloadError) {
    let before = version
    identity.learn(other)
    guard version != before else { return }
    part?.has(size, of: version)
    let text = "\(version.length.map(String.init) ?? "")\n\(version.etag ?? "")\n\(version.lastModified ?? "")\n"
    let note = open(path + ".partial.version", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard note >= 0 else { throw DownloadError.disk(errno, path) }
    defer { close(note) }
    let bytes = Array(text.utf8)
    guard write(note, bytes, bytes.count) == bytes.count else { throw DownloadError.disk(errno, path) }
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(size))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw DownloadError.disk(errno, path) }
      done += count
      size += Int64(count)
    }
    part?.has(size, of: version)
  }

  /// Soon the player's bytes are to be had in place of the network's.
  var meetsDonor: Bool {
    guard let donor = donor(), donor.wholeVersion?.isSurely(version) == true else { return false }
    return donor.heldInMemory(from: size) >= Self.worthCopying
  }

  /// A new request costs less than so many bytes.
  private static let worthCopying: Int64 = 128 << 10

  /// Copies on from what the player holds, while it holds it. With nothing here yet, the player's version of the file is the one to have;
  /// the next request asks for the rest of that very version.
  func takeFromDonor() throws(DownloadError) {
    guard let donor = donor() else { return }
    if size == 0, version.validator == nil, let other = donor.wholeVersion, donor.heldInMemory(from: 0) > 0 { try learn(other) }
    guard version.etag != nil else { return }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let (offset, version) = (size, version)
      let count = buffer.withUnsafeMutableBytes { donor.copyHeld(at: offset, of: version, into: $0) }
      guard count > 0 else { return }
      try append(buffer, count)
    }
  }

  private func append(_ buffer: [UInt8], _ count: Int) throws(DownloadError) {
    var failure: DownloadError?
    buffer.withUnsafeBytes { bytes in
      do throws(DownloadError) { try append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Whether an answer is of the file that is here in part.
  func judge(_ other: FileVersion) -> FileIdentity.Verdict { identity.judge(other) }

  /// See `FileIdentity`.
  func seesThrough(_ other: FileVersion) -> Bool { identity.seesThrough(other) }

  /// The whole length is known to be here though the server never told it.
  func setLength(_ length: Int64) { identity = FileIdentity(FileVersion(length: length)) }

  func finish() throws(DownloadError) -> Int64 {
    guard fsync(descriptor) == 0, rename(path + ".partial", path) == 0 else { throw DownloadError.disk(errno, path) }
    unlink(path + ".partial.version")
    let folder = open(path.lastIndex(of: "/").map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if folder >= 0 {
      fsync(folder)
      close(folder)
    }
    return size
  }

  private static func readNote(_ path: String) -> FileVersion? {
    let note = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard note >= 0 else { return nil }
    defer { close(note) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(note, &bytes, bytes.count)
    guard count > 0, let text = String(validating: bytes[..<count], as: UTF8.self) else { return nil }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard lines.count >= 3 else { return nil }
    let length = Int64(lines[0])
    guard length == nil || length ?? 0 > 0 else { return nil }
    return FileVersion(etag: lines[1].isEmpty ? nil : lines[1], lastModified: lines[2].isEmpty ? nil : lines[2], length: length)
  }
}

import Glibc
import Reactor

/// Pictures on disk, named by their content: a file once there is never written again, and never seen half.
struct ArtCache {
  /// A larger "cover" is refused.
  static let maximumBytes = 5 << 20
  let folder: String

  /// The whole path of a picture that is there.
  func path(_ name: String?) -> String? {
    guard let name, !name.isEmpty, !name.contains("/") else { return nil }
    let path = folder + "/" + name
    return access(path, R_OK) == 0 ? path : nil
  }

  /// - Returns: its name.
  /// - Throws: `ArtError` where it is no complete JPEG or PNG, or cannot be written.
  func add(_ bytes: [UInt8]) throws(ArtError) -> String {
    guard bytes.count <= Self.maximumBytes else { throw .tooLarge }
    guard let kind = Self.kind(bytes) else { throw .notAnImage }
    let name = Self.name(bytes) + "." + kind
    let path = folder + "/" + name
    if access(path, R_OK) == 0 { return name }
    makeFolders(folder)
    // The process's number keeps a second instance apart.
    let fresh = "\(folder)/.\(name).\(getpid()).new"
    let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .unwritable(String(cString: strerror(errno))) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        let reason = String(cString: strerror(errno))
        close(descriptor)
        unlink(fresh)
        throw .unwritable(reason)
      }
      rest = rest.dropFirst(count)
    }
    close(descriptor)
    guard rename(fresh, path) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(fresh)
      throw .unwritable(reason)
    }
    return name
  }

  /// By the bytes, not by what the server says; whole: a picture cut off in the middle is none.
  static func kind(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0xff, 0xd8, 0xff]) {
      // Some end with padding.
      let end = bytes.lastIndex { $0 != 0 && $0 != 0x0a && $0 != 0x0d && $0 != 0x20 } ?? 0
      return end > 3 && bytes[end] == 0xd9 && bytes[end - 1] == 0xff ? "jpg" : nil
    }
    if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
      let end: [UInt8] = [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]
      return bytes.count > 32 && bytes.suffix(64).indices.contains { bytes[$0...].starts(with: end) } ? "png" : nil
    }
    return nil
  }

  /// FNV-1a in 128 bits: to tell pictures apart, not to keep a forger out.
  static func name(_ bytes: [UInt8]) -> String {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.utf8.count) + digits
  }
}

enum ArtError: Error, Sendable, Equatable, CustomStringConvertible {
  case tooLarge
  case notAnImage
  case unwritable(String)

  var description: String {
    switch self {
    case .tooLarge: "The picture has more than \(ArtCache.maximumBytes >> 20) MB."
    case .notAnImage: "The picture is no complete JPEG or PNG."
    case .unwritable(let reason): "The picture cannot be kept: \(reason)."
    }
  }
}

import HTTP

/// Whether an answer is of the same file as those before it.
///
/// A strong ETag that differs means other bytes (RFC 9110, 8.8.3), unless the server makes one up for every answer, as some do (one for each
/// machine of a cluster, or for each moment). Where the date and the length say that the file is the same, they are believed at once. Where only
/// the length does, the file is another one, once; when the next answer differs again while the length is still the same, neither ETag nor date
/// says anything, and the length alone is looked at from then on. So a server costs one new beginning at most.
struct FileIdentity: Equatable, Sendable {
  enum Verdict {
    case same
    case another
  }

  /// What is known of the file; its validators only as long as they are trusted.
  private(set) var version: FileVersion?
  private(set) var trustsETags = true
  private var trustsDates = true
  /// Other validators at the same length, one after the other.
  private var changes = 0
  /// Of the file before this one.
  private var formerLength: Int64?

  /// For `If-Range`: only a validator that an answer can be expected to repeat.
  var condition: String? { trustsETags ? version?.etag : nil }

  private static let mostChanges = 2

  init(_ version: FileVersion? = nil) {
    self.version = version
  }

  /// Judges an answer, and learns of the server by it.
  mutating func judge(_ other: FileVersion) -> Verdict {
    let other = trusted(other)
    guard let known = version else {
      if let formerLength, other.length != formerLength { changes = 0 }
      return .same
    }
    guard !known.fits(other) else { return .same }
    guard let length = known.length, length == other.length else {
      changes = 0
      return .another
    }
    if let date = known.lastModified, date == other.lastModified {
      trustsETags = false
      version = trusted(known)
      return .same
    }
    changes += 1
    guard changes >= Self.mostChanges else { return .another }
    (trustsETags, trustsDates) = (false, false)
    version = trusted(known)
    return .same
  }

  /// Of an answer to a request with `condition`, which was the whole file because of another validator: true where that is known to say
  /// nothing now, so that the part can be asked for without a condition.
  mutating func seesThrough(_ other: FileVersion) -> Bool {
    var later = self
    guard condition != nil, later.judge(other) == .same, later.condition == nil else { return false }
    self = later
    return true
  }

  mutating func learn(_ other: FileVersion) {
    let other = trusted(other)
    if version == nil { version = other } else { version?.learn(other) }
  }

  /// Another file stands there; what is known of the server stays.
  mutating func startAnew() {
    formerLength = version?.length ?? formerLength
    version = nil
  }

  private func trusted(_ version: FileVersion) -> FileVersion {
    FileVersion(
      etag: trustsETags ? version.etag : nil, lastModified: trustsDates ? version.lastModified : nil, length: version.length)
  }
}

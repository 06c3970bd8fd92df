import HTTP

/// `Content-Range: bytes 0-99/1234` (RFC 9110, 14.4): which bytes came, and of how many.
struct ContentRange: Equatable {
  /// Nil in a 416: none came.
  var bytes: Range<Int64>?
  /// Nil for `*`.
  var total: Int64?

  init?(_ text: String?) {
    guard let text, text.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    if parts[1] != "*" {
      guard let number = Int64(parts[1]), number >= 0 else { return nil }
      total = number
    }
    guard parts[0] != "*" else { return }
    let ends = parts[0].split(separator: "-")
    guard ends.count == 2, let first = Int64(ends[0]), let last = Int64(ends[1]), first >= 0, last >= first, last < .max else {
      return nil
    }
    guard total.map({ last < $0 }) ?? true else { return nil }
    bytes = first..<(last + 1)
  }
}

/// What tells one version of a file from another.
struct FileVersion: Equatable, Sendable {
  /// A strong one only (RFC 9110, 8.8.1).
  var etag: String?
  var lastModified: String?
  var length: Int64?

  init(_ head: HTTPHead, length: Int64?) {
    etag = head["ETag"].flatMap { $0.hasPrefix("W/") || $0.isEmpty ? nil : $0 }
    lastModified = head["Last-Modified"]
    self.length = length
  }

  init(etag: String? = nil, lastModified: String? = nil, length: Int64? = nil) {
    self.etag = etag
    self.lastModified = lastModified
    self.length = length
  }

  /// For If-Range.
  var validator: String? { etag ?? lastModified }

  /// True unless something that both know differs.
  func fits(_ other: FileVersion) -> Bool {
    func agree<Value: Equatable>(_ a: Value?, _ b: Value?) -> Bool { a == nil || b == nil || a == b }
    return agree(length, other.length) && agree(etag, other.etag)
      && (etag != nil && other.etag != nil || agree(lastModified, other.lastModified))
  }

  /// The same beyond doubt: by a strong ETag and a length.
  func isSurely(_ other: FileVersion) -> Bool {
    guard let etag, let length else { return false }
    return etag == other.etag && length == other.length
  }

  mutating func learn(_ other: FileVersion) {
    etag = etag ?? other.etag
    lastModified = lastModified ?? other.lastModified
    length = length ?? other.length
  }
}

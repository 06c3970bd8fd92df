/// One cookie as it is sent back. Its value is never printed.
public struct HTTPCookie: Sendable, Hashable {
  public var name: String
  public var value: String
  /// Where on its host it applies: this path and what lies below.
  public var path: String
  /// For https only.
  public var isSecure: Bool

  public init(name: String, value: String, path: String = "/", isSecure: Bool = false) {
    self.name = name
    self.value = value
    self.path = path.hasPrefix("/") ? path : "/"
    self.isSecure = isSecure
  }

  /// RFC 6265, 5.1.4 and 5.4. `path` is that of the request, with or without its query.
  func applies(to path: String, isSecure secure: Bool) -> Bool {
    guard secure || !isSecure else { return false }
    let path = path.prefix { $0 != "?" }
    return path == self.path || path.hasPrefix(self.path.hasSuffix("/") ? self.path : self.path + "/")
  }
}

extension HTTPCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "cookie \(name)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

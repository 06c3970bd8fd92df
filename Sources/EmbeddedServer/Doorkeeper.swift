import Synchronization

/// Who is let in: callers by a loopback name, signed in where that is asked for.
final class Doorkeeper: Sendable {
  private struct Keys {
    var token: String?
    var cookie: String?
  }

  private let keys: Mutex<Keys>
  private let refusal: EmbeddedServerOptions.Refusal

  init(_ options: EmbeddedServerOptions) {
    keys = Mutex(Keys(token: options.token, cookie: options.sessionCookie))
    refusal = options.refusal
  }

  func change(token: String?, cookie: String?) {
    keys.withLock { $0 = Keys(token: token, cookie: cookie) }
  }

  /// Nil: come in.
  func refuse(_ request: ServerRequest) -> ServerReply? {
    // A page in the listener's browser could otherwise reach us by a name of its own that resolves to 127.0.0.1.
    guard Self.isLoopback(request.headers["host"]) else {
      return .error(403, "This server answers only to localhost")
    }
    let keys = keys.withLock { $0 }
    guard keys.token != nil || keys.cookie != nil else { return nil }
    if let token = keys.token, let given = Self.bearer(request.headers["authorization"]), Self.same(given, token) { return nil }
    if let cookie = keys.cookie, let given = Self.cookie("ipx_session", request.headers["cookie"]), Self.same(given, cookie) {
      return nil
    }
    switch refusal {
    case .unauthorized: return ServerReply.error(401, "Sign in again").with("WWW-Authenticate", "Bearer")
    case .redirect(let address): return ServerReply(status: 302).with("Location", address)
    }
  }

  private static func isLoopback(_ host: String?) -> Bool {
    guard let host = host?.lowercased() else { return true }  // HTTP/1.0, which no browser speaks
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
    return name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]" || isLoopbackNumber(name)
  }

  private static func isLoopbackNumber(_ name: Substring) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func bearer(_ header: String?) -> String? {
    guard let header, let space = header.firstIndex(of: " "), header[..<space].lowercased() == "bearer" else { return nil }
    return String(header[space...].trimmed)
  }

  private static func cookie(_ name: String, _ header: String?) -> String? {
    for pair in (header ?? "").split(separator: ";") {
      let pair = pair.trimmed
      if let equals = pair.firstIndex(of: "="), pair[..<equals] == name { return String(pair[pair.index(after: equals)...]) }
    }
    return nil
  }

  /// Takes as long for a near miss as for a far one.
  private static func same(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    return zip(a, b).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

import HTTP
import Reactor

extension StoredCookie {
  /// Out of a `Set-Cookie` line from the server. Nil for cookies that are not ours to keep, for other hosts', and for those that are over
  /// already: what the server withdraws is not thrown away, it will be refused where it is used.
  init?(setCookie line: String, from host: String, now: WallTime) {
    guard let sent = SetCookie(line, receivedAt: now), Self.names.contains(sent.cookie.name),
      let value = Secret(Self.unquoted(sent.cookie.value))
    else { return nil }
    self.init(
      name: sent.cookie.name, value: value, domain: sent.domain ?? host, coversSubdomains: sent.domain != nil,
      path: sent.cookie.path,
      isSecure: sent.cookie.isSecure, expires: sent.expires)
    guard covers(host), domain.contains(".") == host.contains("."), !isOver(at: now) else { return nil }
  }

  private static func unquoted(_ text: String) -> String {
    text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
  }
}

import Reactor

/// A cookie file as browsers' add-ons, curl and wget write it: seven fields a line, tabs between them. `#HttpOnly_` before the
/// domain is no comment.
enum NetscapeJar {
  /// The cookies in `text` that sign us in at `host`, those that are over left out; of two with one name the later.
  static func cookies(_ text: String, host: String, now: WallTime) -> [StoredCookie] {
    var found: [String: StoredCookie] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let cookie = cookie(line), cookie.covers(host), !cookie.isOver(at: now) else { continue }
      found[cookie.name] = cookie
    }
    return found.values.sorted { $0.name < $1.name }
  }

  static func text(_ cookies: [StoredCookie]) -> String {
    let lines = cookies.map { cookie in
      let expires = cookie.expires.map { $0.microseconds / 1_000_000 } ?? 0
      let domain = cookie.coversSubdomains ? "." + cookie.domain : cookie.domain
      let fields = [
        domain, flag(cookie.coversSubdomains), cookie.path, flag(cookie.isSecure), String(expires), cookie.name,
        cookie.value.reveal(),
      ]
      return fields.joined(separator: "\t")
    }
    return (["# Netscape HTTP Cookie File"] + lines).joined(separator: "\n") + "\n"
  }

  static func cookie(_ line: Substring) -> StoredCookie? {
    let mark = "#HttpOnly_"
    let line = line.hasPrefix(mark) ? line.dropFirst(mark.count) : line
    guard !line.hasPrefix("#") else { return nil }
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count == 7, StoredCookie.names.contains(String(fields[5])), let value = Secret(fields[6]),
      fields[2].hasPrefix("/"), let expires = Double(fields[4])
    else { return nil }
    let domain = fields[0].lowercased()
    let bare = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
    guard !bare.isEmpty else { return nil }
    return StoredCookie(
      name: String(fields[5]), value: value, domain: bare, coversSubdomains: fields[1].uppercased() == "TRUE",
      path: String(fields[2]), isSecure: fields[3].uppercased() == "TRUE",
      expires: expires > 0 ? WallTime(unixSeconds: expires) : nil)
  }

  private static func flag(_ flag: Bool) -> String { flag ? "TRUE" : "FALSE" }
}

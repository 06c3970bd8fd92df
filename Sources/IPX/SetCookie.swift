import Glibc
import Reactor

/// A `Set-Cookie` line from the server (RFC 6265, 5.2 and 5.3).
enum SetCookie {
  /// Nil for cookies that are not ours to keep, for other hosts', and for those that are over already: what the server
  /// withdraws is not thrown away, it will be refused where it is used.
  static func cookie(_ header: String, from host: String, now: WallTime) -> StoredCookie? {
    let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(pair)
    guard let (name, text) = parts.first, StoredCookie.names.contains(name), let value = Secret(unquoted(text)) else {
      return nil
    }
    var cookie = StoredCookie(
      name: name, value: value, domain: host, coversSubdomains: false, path: "/", isSecure: false, expires: nil)
    var age: WallTime?
    for (attribute, value) in parts.dropFirst() {
      switch attribute.lowercased() {
      case "domain":
        let domain = value.lowercased().drop { $0 == "." }
        guard !domain.isEmpty else { continue }
        (cookie.domain, cookie.coversSubdomains) = (String(domain), true)
      case "path": if value.hasPrefix("/") { cookie.path = value }
      case "secure": cookie.isSecure = true
      case "max-age":
        if let seconds = Int64(value) { age = WallTime(microseconds: later(now, by: seconds)) }
      case "expires": cookie.expires = date(value)
      default: break
      }
    }
    // Max-Age is the stronger of the two.
    cookie.expires = age ?? cookie.expires
    return cookie.covers(host) && cookie.domain.contains(".") == host.contains(".") && !cookie.isOver(at: now) ? cookie : nil
  }

  private static func pair(_ part: Substring) -> (String, String) {
    let equals = part.firstIndex(of: "=") ?? part.endIndex
    let value = equals < part.endIndex ? part[part.index(after: equals)...] : ""
    return (trimmed(part[..<equals]), trimmed(value))
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return String(text)
  }

  private static func unquoted(_ text: String) -> String {
    text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"") ? String(text.dropFirst().dropLast()) : text
  }

  private static func later(_ now: WallTime, by seconds: Int64) -> Int64 {
    guard seconds > 0 else { return 0 }
    return now.microseconds + min(seconds, 400 * 86_400) * 1_000_000
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`, dashes allowed; the order is day, month, year, clock in all that servers send today.
  private static func date(_ text: String) -> WallTime? {
    let fields = text.split { " ,-".contains($0) }.drop { Int($0) == nil }.map(String.init)
    guard fields.count >= 4, let day = Int32(fields[0]), (1...31).contains(day), let year = Int32(fields[2]),
      (1970...9999).contains(year), let month = months.firstIndex(of: fields[1].prefix(3).lowercased())
    else { return nil }
    let clock = fields[3].split(separator: ":").compactMap { Int32($0) }
    guard clock.count == 3, (0...23).contains(clock[0]), (0...59).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (year - 1900, Int32(month), day)
    (time.tm_hour, time.tm_min, time.tm_sec) = (clock[0], clock[1], clock[2])
    return WallTime(unixSeconds: Double(timegm(&time)))
  }

  private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}

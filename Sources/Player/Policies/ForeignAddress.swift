import Library
import Reactor

/// What of a foreign URL can be judged without looking at its bytes.
public enum ForeignAddress {
  /// The address as it is to be opened, without the white space around it.
  /// - Throws: `LibraryError` `.notPlayable` with the reason.
  static func check(_ text: String) throws(LibraryError) -> String {
    let url = trimmed(text)
    guard let colon = url.firstIndex(of: ":") else { throw refusal("“\(url.brief)” is not an address.") }
    let scheme = url[..<colon].lowercased()
    let rest = url[url.index(after: colon)...]
    switch scheme {
    case "http", "https":
      guard rest.hasPrefix("//"), let host = rest.dropFirst(2).first, !"/?#:@".contains(host) else {
        throw refusal("The address names no host.")
      }
    case "file":
      guard rest.hasPrefix("///") || rest.lowercased().hasPrefix("//localhost/") || (rest.hasPrefix("/") && !rest.hasPrefix("//"))
      else { throw refusal("Only files of this machine can be played, by their whole path.") }
    default:
      throw refusal("Only http, https and file addresses can be played, not “\(scheme.brief):”.")
    }
    guard !url.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
      throw refusal("The address holds control characters.")
    }
    return url
  }

  /// The address as others may see it: without user and password (RFC 3986, 3.2.1).
  public static func shown(_ url: String) -> String {
    guard let start = url.firstRange(of: "://")?.upperBound, !url.hasPrefix("file:") else { return url }
    let end = url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    guard let at = url[start..<end].lastIndex(of: "@") else { return url }
    return String(url[..<start]) + url[url.index(after: at)...]
  }

  /// What to show until the file says its own: the last part of the path, decoded; the host where there is no path.
  static func title(of url: String) -> String {
    let url = shown(url)
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let last = path.split(separator: "/").last.map(String.init) ?? url
    return decoded(last)
  }

  private static func trimmed(_ text: String) -> String {
    let start = text.drop { $0.isWhitespace }
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...end])
  }

  private static func refusal(_ sentence: String) -> LibraryError { LibraryError(.notPlayable, sentence) }

  /// Percent escapes undone; what is not valid stays as it is.
  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(Substring(digits), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

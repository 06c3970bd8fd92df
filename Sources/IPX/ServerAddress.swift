import HTTP
import Reactor
@_spi(_Unicode) import Swift

/// The address of an ipx server, by the rules of `ipx-api.md`: a bare host gets `https://`; plain `http://` only for this machine and
/// private networks. Checked as it is entered, not when it is used.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
  public enum Scheme: String, Sendable {
    case http, https

    /// What a name without one means (RFC 9110, 4.2).
    var port: UInt16 { self == .http ? 80 : 443 }
  }

  public let scheme: Scheme
  /// Lower case, ASCII (IDN as `xn--`); an IPv6 address without its brackets.
  public let host: String
  /// Nil: the scheme's own.
  public let port: UInt16?
  /// Empty, or `/with/no/slash/at/its/end`.
  public let path: String

  /// - Throws: `ServerAddressError` with a sentence that says what is wrong.
  public init(parsing text: String) throws(ServerAddressError) {
    let trimmed = text.drop { $0.isWhitespace }
    var rest = trimmed[..<(trimmed.lastIndex { !$0.isWhitespace }.map(trimmed.index(after:)) ?? trimmed.startIndex)]
    guard !rest.isEmpty else { throw .init(.empty, "An address is needed, such as podcasts.example.org.") }
    guard !rest.unicodeScalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F }) else {
      throw .init(.badHost, "An address has no spaces in it.")
    }
    scheme = try Self.takeScheme(&rest)
    guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw .init(.badPath, "Leave out what follows ? or #: only the server's own address is needed.")
    }
    let authority = rest.prefix { $0 != "/" }
    path = try Self.checkPath(rest[authority.endIndex...])
    guard !authority.contains("@") else {
      throw .init(.credentials, "Leave out the name and password: sign in with `ipodderx-car token` or `cookies`.")
    }
    let (host, named) = try Self.split(authority)
    self.host = host
    // One server, one name, one store: however it is written.
    port = named == scheme.port ? nil : named
    if scheme == .http, !PrivateHost.contains(host) {
      throw .init(.insecure, "Plain http:// would show your token to everyone on the way; \(host.brief) needs https://.")
    }
  }

  /// `https://host[:port]`, where credentials belong; the scheme's own port left out.
  public var origin: String {
    let bracketed = host.contains(":") ? "[\(host)]" : host
    return "\(scheme.rawValue)://\(bracketed)" + (port.map { ":\($0)" } ?? "")
  }

  public var description: String { origin + path }

  // MARK: Parts

  private static func takeScheme(_ rest: inout Substring) throws(ServerAddressError) -> Scheme {
    guard let mark = rest.firstRange(of: "://") else { return .https }
    let word = rest[..<mark.lowerBound].lowercased()
    // A path may hold "://" too; then there is no scheme before it.
    guard !word.contains("/") else { return .https }
    guard let scheme = Scheme(rawValue: word) else {
      throw .init(.badScheme, "A server is reached by https:// (or http:// at home), not by \(word.brief)://.")
    }
    rest = rest[mark.upperBound...]
    return scheme
  }

  private static func checkPath(_ text: Substring) throws(ServerAddressError) -> String {
    var path = text
    while path.last == "/" { path = path.dropLast() }
    guard path.unicodeScalars.allSatisfy({ $0.isASCII && !"\"<>\\^`{|}".unicodeScalars.contains($0) }) else {
      throw .init(.badPath, "The path \(path.brief) holds characters that an address cannot have.")
    }
    guard !path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." }) else {
      throw .init(.badPath, "The path \(path.brief) must not hold . or ..")
    }
    return String(path)
  }

  private static func split(_ authority: Substring) throws(ServerAddressError) -> (String, UInt16?) {
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { throw .init(.badHost, "The [ of an IPv6 address has no ].") }
      let address = String(authority[authority.index(after: authority.startIndex)..<end])
      guard let canonical = IPAddress.canonicalV6(address) else {
        throw .init(.badHost, "[\(address.brief)] is no IPv6 address.")
      }
      return (canonical, try portNumber(authority[authority.index(after: end)...]))
    }
    // An IPv6 address without brackets has no port.
    if authority.filter({ $0 == ":" }).count > 1 {
      guard let canonical = IPAddress.canonicalV6(String(authority)) else {
        throw .init(.badHost, "“\(authority.brief)” is neither host:port nor an IPv6 address.")
      }
      return (canonical, nil)
    }
    let name = authority.prefix { $0 != ":" }
    return (try hostName(name), try portNumber(authority[name.endIndex...]))
  }

  private static func portNumber(_ text: Substring) throws(ServerAddressError) -> UInt16? {
    guard !text.isEmpty else { return nil }
    let digits = text.dropFirst()
    guard text.first == ":", digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits), port > 0 else {
      throw .init(.badPort, "“\(digits.brief)” is no port: a number from 1 to 65535.")
    }
    return port
  }

  private static func hostName(_ text: Substring) throws(ServerAddressError) -> String {
    // A name may end in a dot (the root); certificates and cookies do not know it.
    let name = text.last == "." ? text.dropLast() : text
    guard !name.isEmpty else { throw .init(.badHost, "The address names no host.") }
    var labels: [String] = []
    guard !name.unicodeScalars.contains(where: isUnseen) else {
      throw .init(.badHost, "“\(name.brief)” holds a character that cannot be seen: write it by hand.")
    }
    for label in composed(name).split(omittingEmptySubsequences: false, whereSeparator: { ".。｡".contains($0) }) {
      let ascii = label.allSatisfy(\.isASCII) ? String(label) : Punycode.encode(label).map { "xn--" + $0 }
      guard let ascii, (1...63).contains(ascii.utf8.count), isLabel(ascii) else {
        throw .init(.badHost, "“\(name.brief)” is no host name.")
      }
      labels.append(ascii)
    }
    let host = labels.joined(separator: ".")
    guard host.utf8.count <= 253 else { throw .init(.badHost, "The host name is longer than names can be.") }
    // Four numbers are an IPv4 address, and then a right one; other all-digit forms are tricks.
    if labels.last?.allSatisfy(\.isNumber) == true || labels.last?.hasPrefix("0x") == true {
      guard IPAddress.v4(host) != nil else { throw .init(.badHost, "“\(host.brief)” is no IPv4 address.") }
    }
    return host
  }

  /// One name, however its letters were typed: small, with accents put together, full-width ones narrowed (RFC 5895, 2).
  private static func composed(_ name: Substring) -> String {
    var narrow = ""
    for scalar in name.unicodeScalars {
      let isWide = (0xff01...0xff5e).contains(scalar.value)
      narrow.unicodeScalars.append(isWide ? Unicode.Scalar(UInt8(scalar.value - 0xff01 + 0x21)) : scalar)
    }
    var composed = ""
    for scalar in narrow.lowercased()._nfc { composed.unicodeScalars.append(scalar) }
    return composed
  }

  /// A name with one of these looks like another one.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .format, .control, .unassigned, .privateUse, .spaceSeparator, .lineSeparator, .paragraphSeparator: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func isLabel(_ label: String) -> Bool {
    label.first != "-" && label.last != "-"
      && label.utf8.allSatisfy { c in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(c) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(c)
          || c == UInt8(ascii: "-") || c == UInt8(ascii: "_")
      }
  }
}

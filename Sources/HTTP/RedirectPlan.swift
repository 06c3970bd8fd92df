/// What to ask next, and what may be shown there. Pure: no network.
///
/// Ten redirects at most, each address once. Credentials go to their own origin only (scheme, host and port), and once a redirect has
/// left it they are not sent again even if a later one leads back: who sends us there is then a stranger. A body goes to no stranger.
struct RedirectPlan {
  private(set) var address: WebAddress
  private(set) var method: String
  private(set) var body: [UInt8]?
  private(set) var chain: [String]
  private let request: HTTPRequest
  /// Of the origin where it all began: its own headers and the address's user and password are for it alone.
  private let home: HTTPOrigin
  private let homeUserInfo: String?
  private var hasLeft = false

  init(_ request: HTTPRequest) throws(HTTPError) {
    address = try WebAddress(request.url)
    method = request.method
    body = request.body
    chain = [address.description]
    self.request = request
    home = address.origin
    homeUserInfo = address.userInfo
  }

  /// User and password of the address, while they may be shown.
  var userInfo: String? { hasLeft ? nil : homeUserInfo }

  /// All header lines of the request that now follows, but those that curl makes itself.
  var headers: [(String, String)] {
    let own = request.headers.filter { name, _ in
      !hasLeft || !Self.private.contains(name.lowercased())
    }
    guard !hasLeft, let credentials = request.credentials, credentials.origin == address.origin else { return own }
    return own + credentials.headers(path: address.path)
  }

  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  /// Whether this redirect is for us to follow, and not an answer in itself.
  func isToFollow(_ location: String) -> Bool {
    guard request.staysOnHost, let next = try? address.resolving(location) else { return true }
    return next.host == address.host
  }

  /// Goes where the answer points.
  /// - Throws: `.tooManyRedirects`, `.refusedRedirect`.
  mutating func follow(_ status: Int, location: String) throws(HTTPError) {
    guard chain.count <= request.maximumRedirects else {
      throw HTTPError(.tooManyRedirects, "\(home.authority) redirects more than \(request.maximumRedirects) times.")
    }
    let next: WebAddress
    do throws(HTTPError) {
      next = try address.resolving(location)
    } catch {
      throw HTTPError(.refusedRedirect, "\(address.origin.authority) redirects to what cannot be fetched: \(error.description)")
    }
    // An answer that turns a POST into a GET (RFC 9110, 15.4): what all clients do for 301 and 302 too.
    if status == 303 || ((status == 301 || status == 302) && method == "POST"), method != "HEAD" {
      method = "GET"
      body = nil
    }
    if next.origin != address.origin { hasLeft = true }
    guard !hasLeft || (body == nil && (method == "GET" || method == "HEAD")) else {
      throw HTTPError(
        .refusedRedirect, "\(address.origin.authority) redirects to \(next.origin.authority), where this request must not go.")
    }
    guard !chain.contains(next.description) else {
      throw HTTPError(.tooManyRedirects, "\(address.origin.authority) redirects in a loop.")
    }
    address = next
    chain.append(next.description)
  }

  private static let `private`: Set<String> = ["authorization", "cookie", "proxy-authorization", "x-api-key"]
}

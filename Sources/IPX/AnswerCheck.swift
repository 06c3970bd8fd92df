import FoundationEssentials
import Reactor

/// Tells an answer of the server from everything that may come in its place (`design.md`, Signed out): 401 and 403 and a redirect to
/// an identity provider mean signed out; any other HTML, redirect, 404, 5xx is off line, with a sentence that names what came.
enum AnswerCheck {
  /// Nil for an answer to take; 304 and 409 are for the caller to understand.
  static func problem(_ response: APIResponse, asked url: String) -> APIError? {
    if let problem = redirect(response, asked: url) { return problem }
    let host = URLText.split(url).host
    switch response.status {
    case 200..<300:
      guard isHTML(response) else { return nil }
      return APIError(
        .offline, "\(host) answered with a web page instead of the ipx API (a captive portal, or not an ipx server).")
    case 304, 409: return nil
    case 401, 403:
      return APIError(.signedOut, "Sign in again: \(host) answered \(response.status).", status: response.status)
    case 404, 410:
      let what = isHTML(response) ? " with a web page" : ""
      return APIError(
        .notFound, "\(host) answered \(response.status)\(what): it has no \(URLText.split(url).path.withoutQuery).",
        status: response.status)
    case 408, 425, 429:
      return APIError(
        .offline, "\(host) asks to wait (\(response.status)).", retryAfter: retryAfter(response), status: response.status)
    case 400..<500, 501:
      return APIError(.refused, "\(host) refused (\(response.status))\(reason(response)).", status: response.status)
    case 500..<600:
      return APIError(
        .offline, "\(host) is in trouble (\(response.status))\(reason(response)).", retryAfter: retryAfter(response),
        status: response.status)
    default:
      return APIError(.offline, "\(host) gave an answer that is none of HTTP's (\(response.status)).")
    }
  }

  static func isHTML(_ response: APIResponse) -> Bool {
    if let type = response.headers["content-type"]?.lowercased() {
      if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
      if type.contains("json") || type.hasPrefix("image/") || type.hasPrefix("text/event-stream") { return false }
    }
    let start = response.body.prefix(256).drop { $0 <= 0x20 || $0 == 0xef || $0 == 0xbb || $0 == 0xbf }
    return start.first == UInt8(ascii: "<")
  }

  private static func redirect(_ response: APIResponse, asked url: String) -> APIError? {
    let target: String
    if (300..<400).contains(response.status), response.status != 304 {
      target = URLText.join(url.withoutPath, response.headers["location"] ?? "")
    } else if response.url != url, !response.url.isEmpty {
      target = response.url
    } else {
      return nil
    }
    let from = URLText.split(url)
    let to = URLText.split(target)
    if Endpoints.isIdentityProvider(host: to.host.withoutPort) || to.path.lowercased().contains("/cdn-cgi/access/") {
      return APIError(.signedOut, "Sign in again: \(from.host) sent us to the sign-in page of \(to.host).")
    }
    if to.host == from.host, Endpoints.isSignIn(path: to.path) {
      return APIError(.signedOut, "Sign in again: \(from.host) sent us to its sign-in page.")
    }
    // Followed within the same host and answered as usual.
    if to.host == from.host, !(300..<400).contains(response.status) { return nil }
    return APIError(
      .offline, "\(from.host) sent us elsewhere, to \(to.host.isEmpty ? "nowhere" : to.host) (a captive portal, perhaps).")
  }

  private static func retryAfter(_ response: APIResponse) -> Duration? {
    guard let text = response.headers["retry-after"], let seconds = Int(text.trimmed), seconds >= 0 else { return nil }
    return .seconds(min(seconds, 3600))
  }

  private static func reason(_ response: APIResponse) -> String {
    guard response.body.count < 65536,
      let said = try? JSONDecoder().decode(IPXErrorBody.self, from: Data(response.body)), let text = said.error
    else { return "" }
    return ": \(text.prefix(200))"
  }
}

extension String {
  fileprivate var withoutPort: String { String(split(separator: ":", omittingEmptySubsequences: false).first ?? "") }
  fileprivate var withoutQuery: String { String(prefix { $0 != "?" }) }
  fileprivate var withoutPath: String {
    let parts = URLText.split(self)
    return parts.scheme + "://" + parts.host
  }
}

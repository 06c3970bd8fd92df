import HTTP

/// Redirects that mean "sign in again" (design.md, Signed out).
public enum IdentityProvider {
  /// Whether an answer from this address is a sign-in page's.
  public static func isSignIn(_ url: String) -> Bool {
    guard let address = try? WebAddress(url) else { return false }
    return address.host.hasSuffix(".cloudflareaccess.com") || address.path.hasPrefix("/cdn-cgi/access/")
  }
}

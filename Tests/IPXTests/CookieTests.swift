import Reactor
import Testing

@testable import IPX

@Suite struct CookieTests {
  private let now = WallTime(unixSeconds: 1_795_000_000)

  @Test func netscapeJar_keepsOurTwoCookiesOfTheServersHostOnly() {
    let jar = """
      # Netscape HTTP Cookie File
      # This is a comment

      pod.example.org\tFALSE\t/\tTRUE\t1895000000\tipx_session\tsession-value
      #HttpOnly_.example.org\tTRUE\t/\tTRUE\t0\tCF_Authorization\taccess-value
      pod.example.org\tFALSE\t/\tTRUE\t1895000000\ttracking\tnot-ours
      other.example.org\tFALSE\t/\tTRUE\t1895000000\tipx_session\tother-host
      .org\tTRUE\t/\tTRUE\t1895000000\tipx_sessionx\tother-name
      example.org\tFALSE\t/\tTRUE\t1895000000\tipx_session\tparent-alone
      evilpod.example.org\tTRUE\t/\tTRUE\t1895000000\tCF_Authorization\tsuffix
      """
    let cookies = NetscapeJar.cookies(jar, host: "pod.example.org", now: now)
    #expect(cookies.map(\.name) == ["CF_Authorization", "ipx_session"])
    #expect(cookies.map { $0.value.reveal() } == ["access-value", "session-value"])
    #expect(cookies[0].expires == nil)
    #expect(cookies[1].expires == WallTime(unixSeconds: 1_895_000_000))
    // Written and read again it is the same.
    #expect(NetscapeJar.cookies(NetscapeJar.text(cookies), host: "pod.example.org", now: now) == cookies)
  }

  @Test(arguments: [
    "", "\n\n", "<html>", "a\tb", "pod.example.org\tFALSE\t/\tTRUE\t1\tipx_session\tover",
    "pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\t", "pod.example.org\tFALSE\t/\tTRUE\tsoon\tipx_session\tx",
    "pod.example.org FALSE / TRUE 0 ipx_session x", "pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\twith space",
    "pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\tbreak\u{1}", "pod.example.org\tFALSE\t/\tTRUE\t0\tIPX_SESSION\tx",
    "#pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\tx", "\tTRUE\t/\tTRUE\t0\tipx_session\tx",
    ".\tTRUE\t/\tTRUE\t0\tipx_session\tx", "pod.example.org\tFALSE\t/\tTRUE\tnan\tipx_session\tx\tmore",
  ])
  func netscapeJar_withoutOne_givesNone(jar: String) {
    #expect(NetscapeJar.cookies(jar, host: "pod.example.org", now: now).isEmpty)
  }

  @Test func netscapeJar_windowsLinesAndTheLaterOfTwo() {
    let jar = "h.org\tFALSE\t/\tFALSE\t0\tipx_session\told\r\nh.org\tFALSE\t/a\tFALSE\t0\tipx_session\tnew\r\n"
    let cookies = NetscapeJar.cookies(jar, host: "h.org", now: now)
    #expect(cookies.map { $0.value.reveal() } == ["new"])
    #expect(cookies.first?.path == "/a")
  }

  @Test(arguments: [
    ("ipx_session=v", "pod.example.org", false, "/"),
    ("ipx_session = \"v\" ; Path=/api; HttpOnly", "pod.example.org", false, "/api"),
    ("ipx_session=v; Domain=example.org; Secure; SameSite=Lax", "example.org", true, "/"),
    ("CF_Authorization=v; domain=.POD.example.org; path=relative", "pod.example.org", true, "/"),
    ("ipx_session=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "pod.example.org", false, "/"),
    ("ipx_session=v; Expires=Wed, 21-Oct-2099 07:28:00 GMT", "pod.example.org", false, "/"),
    ("ipx_session=v; Expires=nonsense; Max-Age=x", "pod.example.org", false, "/"),
  ])
  func setCookie_ofTheServer_isTakenUp(header: String, domain: String, below: Bool, path: String) throws {
    let cookie = try #require(StoredCookie(setCookie: header, from: "pod.example.org", now: now))
    #expect(cookie.value.reveal() == "v")
    #expect((cookie.domain, cookie.coversSubdomains, cookie.path) == (domain, below, path))
  }

  @Test(arguments: [
    "", "=", ";", "ipx_session", "ipx_session=", "other=v", "ipx_session=v; Domain=evil.org", "ipx_session=v; Domain=org",
    "ipx_session=v; Domain=a.pod.example.org", "ipx_session=v; Max-Age=0", "ipx_session=v; Max-Age=-5",
    "ipx_session=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "ipx_session=v w", "ipx_session=v\u{7F}",
  ])
  func setCookie_ofOthersOrWithdrawn_isNot(header: String) {
    #expect(StoredCookie(setCookie: header, from: "pod.example.org", now: now) == nil)
  }

  @Test func setCookie_expires_isReadToTheSecond_andHugeAgesAreBounded() throws {
    let dated = try #require(
      StoredCookie(setCookie: "ipx_session=v; Expires=Sun, 06 Nov 2094 08:49:37 GMT", from: "h.org", now: now))
    #expect(dated.expires == WallTime(unixSeconds: 3_939_871_777))
    let aged = try #require(StoredCookie(setCookie: "ipx_session=v; Max-Age=9223372036854775807", from: "h.org", now: now))
    #expect(try #require(aged.expires) > now)
  }

  @Test func secrets_areNeverPrinted() throws {
    let secret = try #require(Secret("hunter2"))
    let cookie = try #require(StoredCookie(setCookie: "ipx_session=hunter2", from: "h.org", now: now))
    var held = CredentialStore.Held()
    (held.token, held.cookies) = (secret, [cookie])
    var dumped = ""
    dump(held, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), "\(cookie)", String(reflecting: held), "\(held)", dumped] {
      #expect(!text.contains("hunter2"))
    }
    #expect(Secret("") == nil && Secret("a\nb") == nil && Secret("ü") == nil && Secret("a b") == nil)
  }
}

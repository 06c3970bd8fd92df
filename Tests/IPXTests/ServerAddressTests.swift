import IPX
import Testing

@Suite struct ServerAddressTests {
  static let valid: [(String, String)] = [
    ("podcasts.example.org", "https://podcasts.example.org"),
    ("  Podcasts.Example.ORG/ ", "https://podcasts.example.org"),
    ("https://example.org/ipx//", "https://example.org/ipx"),
    ("HTTPS://example.org:8443/a/b", "https://example.org:8443/a/b"),
    ("example.org:8443", "https://example.org:8443"),
    ("example.org.", "https://example.org"),
    ("http://localhost:8080", "http://localhost:8080"),
    ("http://nas.local", "http://nas.local"),
    ("http://10.1.2.3", "http://10.1.2.3"),
    ("http://172.16.0.1", "http://172.16.0.1"), ("http://172.31.255.255", "http://172.31.255.255"),
    ("http://192.168.1.1:1/x", "http://192.168.1.1:1/x"),
    ("http://127.9.9.9", "http://127.9.9.9"), ("http://169.254.1.1", "http://169.254.1.1"),
    ("http://[::1]:80", "http://[::1]"), ("https://Example.org:443/ipx/", "https://example.org/ipx"),
    ("http://localhost:443", "http://localhost:443"), ("http://[FD00:0:0::1]", "http://[fd00::1]"),
    ("http://[fe80::1]", "http://[fe80::1]"), ("http://[::ffff:10.0.0.1]", "http://[::ffff:10.0.0.1]"),
    ("2001:db8::1", "https://[2001:db8::1]"), ("https://[2001:DB8::1]:444/", "https://[2001:db8::1]:444"),
    ("https://bücher.example", "https://xn--bcher-kva.example"),
    ("https://例え.テスト/a", "https://xn--r8jz45g.xn--zckzah/a"),
    ("https://مثال.إختبار", "https://xn--mgbh0fb.xn--kgbechtv"),
    ("xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ("bu\u{308}cher.example", "https://xn--bcher-kva.example"), ("BU\u{308}CHER.example", "https://xn--bcher-kva.example"),
    ("ＥＸＡＭＰＬＥ．org", "https://example.org"), ("bücher。example", "https://xn--bcher-kva.example"),
    ("under_score.example", "https://under_score.example"),
  ]

  @Test(arguments: valid) func parsing_givesTheOneWayToWriteIt(text: String, canonical: String) throws {
    let address = try ServerAddress(parsing: text)
    #expect(address.description == canonical)
    #expect(try ServerAddress(parsing: canonical) == address)
  }

  static let invalid: [(String, ServerAddressError.Code)] = [
    ("", .empty), ("   ", .empty), ("https://", .badHost), ("https:///path", .badHost), ("exa mple.org", .badHost),
    ("ftp://example.org", .badScheme), ("file:///etc/passwd", .badScheme), ("javascript://x", .badScheme),
    ("https://user:pass@example.org", .credentials), ("https://token@example.org", .credentials),
    ("http://example.org", .insecure), ("http://8.8.8.8", .insecure), ("http://172.32.0.1", .insecure),
    ("http://192.169.0.1", .insecure), ("http://11.0.0.1", .insecure), ("http://[2001:db8::1]", .insecure),
    ("http://[::ffff:8.8.8.8]", .insecure), ("http://[::2]", .insecure), ("http://localhost.example.org", .insecure),
    ("http://notlocal", .insecure), ("http://local", .insecure), ("http://10.1.2.3.example.org", .insecure),
    ("http://127.1", .badHost), ("http://0x7f.1", .badHost), ("http://2130706433", .badHost), ("https://1.2.3.400", .badHost),
    ("https://[::1", .badHost), ("https://[zz::1]", .badHost), ("https://a..b", .badHost), ("https://-a.b", .badHost),
    ("exam\u{ad}ple.org", .badHost), ("a\u{200d}b.org", .badHost), ("a\u{202e}b.org", .badHost), ("a\u{2060}b.org", .badHost),
    ("https://a%2eb", .badHost), ("１２７.１", .badHost), ("ａ／ｂ.org", .badHost), ("ａ＠ｂ.org", .badHost),
    ("https://exa<mple", .badHost), ("https://example.org:0", .badPort),
    ("https://example.org:65536", .badPort), ("https://example.org:", .badPort), ("https://example.org:8o", .badPort),
    ("https://[::1]x", .badPort), ("https://example.org/a?b=c", .badPath), ("https://example.org/#x", .badPath),
    ("https://example.org/a/../b", .badPath), ("https://example.org/é", .badPath),
    ("https://" + String(repeating: "a", count: 64) + ".org", .badHost),
    ("https://" + String(repeating: "ü", count: 200) + ".org", .badHost),
    ("https://" + String(repeating: "a.", count: 200) + "org", .badHost),
  ]

  @Test(arguments: invalid) func parsing_refusesAsEntered_withASentence(text: String, code: ServerAddressError.Code) {
    let error = #expect(throws: ServerAddressError.self) { try ServerAddress(parsing: text) }
    #expect(error?.code == code)
    #expect(error?.description.isEmpty == false)
  }

  @Test func aPasswordInTheAddress_isNotRepeated() {
    let error = #expect(throws: ServerAddressError.self) { try ServerAddress(parsing: "https://me:hunter2@example.org") }
    #expect(error?.description.contains("hunter2") == false)
  }
}

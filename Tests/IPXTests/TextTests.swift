import Reactor
import Testing

@testable import IPX

@Suite struct TextTests {
  @Test(
    "show notes become plain text",
    arguments: [
      ("<p>One</p><p>Two &amp; three</p>", "One\n\nTwo & three"), ("a<br>b<br/>c", "a\nb\nc"),
      ("<ul><li>x</li><li>y</li></ul>", "- x\n- y"),
      ("<script>alert(1)</script>hi<!-- no -->", "hi"), ("5 < 6 &lt; 7 &#8364; &#x1F600; &bogus; &", "5 < 6 < 7 € 😀 &bogus; &"),
      ("plain\nlines\n\n\n\nhere", "plain\nlines\n\nhere"),
      ("<a href=\"x>y\">link</a> end", "link end"), ("<p>unclosed <b", "unclosed"), ("", ""), ("<", "<"),
      ("&#0;&#xFFFFFFFF;x", "&#xFFFFFFFF;x"),
      ("<p>日本語</p>", "日本語"),
    ])
  func notes(_ html: String, _ text: String) {
    #expect(PlainText.of(html) == text)
  }

  @Test("endless or broken notes end")
  func noise() {
    #expect(PlainText.of(String(repeating: "<p>x", count: 500_000)).utf8.count <= PlainText.maximum + 8)
    #expect(PlainText.of(String(repeating: "<a title=\"", count: 10_000)).utf8.count < 200_000)
  }

  @Test(
    "rule 88: addresses are trimmed, what may not stand there is encoded once, what is encoded stays",
    arguments: [
      (" https://a.example/b c.mp3 ", "https://a.example/b%20c.mp3"), ("/media/a%20b", "/media/a%20b"),
      ("/media/100%", "/media/100%25"),
      ("/media/ü", "/media/%C3%BC"), ("/a?x={1}", "/a?x=%7B1%7D"), ("\n", ""),
    ])
  func tidy(_ text: String, _ url: String) {
    #expect(URLText.tidy(text) == url)
    #expect(URLText.tidy(url) == url)
  }

  @Test(
    "paths join to the server's address",
    arguments: [
      ("https://a.example", "/media/1", "https://a.example/media/1"),
      ("https://a.example/ipx", "/media/1", "https://a.example/ipx/media/1"),
      ("https://a.example/ipx", "/ipx/media/1", "https://a.example/ipx/media/1"),
      ("https://a.example", "https://b.example/x", "https://b.example/x"),
      ("https://a.example", "//b.example/x", "https://b.example/x"),
      ("https://a.example/", "media/1", "https://a.example/media/1"),
    ])
  func join(_ base: String, _ path: String, _ url: String) {
    #expect(URLText.join(base, path) == url)
  }

  @Test(
    "what is to be heard, by type and name",
    arguments: [
      ("audio/mpeg", "/media/1", true), ("video/mp4", "/media/1", false), ("video/mp4", "/x.mp3", true),
      ("application/octet-stream", "/media/1", true),
      (nil, "/media/1", true), (nil, "/film.M4V?x=1", false), ("application/force-download", "/a.mp3", true),
      ("application/pdf", "/media/1", false), ("image/jpeg", "/1", false),
    ] as [(String?, String, Bool)])
  func kinds(_ type: String?, _ url: String, _ isSound: Bool) {
    #expect(MediaKind.isSound(type: type, url: url) == isSound)
  }

  @Test("credentials show nothing of themselves")
  func secrets() {
    let secret = APICredentials(bearer: "s3cret", cookies: ["ipx_session": "s3cret"])
    #expect(!"\(secret)".contains("s3cret") && !String(reflecting: secret).contains("s3cret"))
  }
}

import HTTP
import Testing

@Suite struct WebAddressTests {
  @Test(
    "rule 88: trimmed, unescaped characters encoded once, encoded ones left alone",
    arguments: [
      ("http://a.b/c ", "http://a.b/c"), (" \n\thttps://A.B:443/C\u{A0}", "https://a.b/C"),
      ("http://a.b:8080", "http://a.b:8080/"),
      ("http://a.b/x y.mp3", "http://a.b/x%20y.mp3"), ("http://a.b/x%20y.mp3", "http://a.b/x%20y.mp3"),
      ("http://a.b/50%.mp3?q=%zz", "http://a.b/50%25.mp3?q=%25zz"),
      ("http://a.b/ä/日.mp3?é", "http://a.b/%C3%A4/%E6%97%A5.mp3?%C3%A9"),
      ("http://a.b/%c3%A4", "http://a.b/%c3%A4"), ("http://a.b/x#frag", "http://a.b/x"), ("http://a.b?q=1", "http://a.b/?q=1"),
      ("http://bücher.example/ü", "http://xn--bcher-kva.example/%C3%BC"), ("HTTP://[::1]:81/", "http://[::1]:81/"),
      ("http://u:p@a.b/x", "http://a.b/x"), ("http://a.b/x\n y", "http://a.b/x%20y"),
      ("http://a.b/\"<>\\^`{|}", "http://a.b/%22%3C%3E%5C%5E%60%7B%7C%7D"),
      ("http://a.b/[x]?a=b&c=d;e,f+g:h@i!$'()*~", "http://a.b/[x]?a=b&c=d;e,f+g:h@i!$'()*~"),
    ])
  func rule88(text: String, asked: String) throws {
    let address = try WebAddress(text)
    #expect(address.description == asked)
    #expect(try WebAddress(address.description) == WebAddress(asked), "once only")
  }

  @Test(
    "RFC 3986, 5.4: what a reference means",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"),
      ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("", "http://a/b/c/d;p?q"),
      (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"),
      ("../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("https://x/y z", "https://x/y%20z"),
    ])
  func references(reference: String, meaning: String) throws {
    #expect(try WebAddress("http://a/b/c/d;p?q").resolving(reference).description == meaning)
  }
}

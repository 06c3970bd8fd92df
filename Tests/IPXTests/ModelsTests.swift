import FoundationEssentials
import Reactor
import Testing

@testable import IPX

@Suite struct ModelsTests {
  private func decode<T: Decodable>(_ text: String) throws -> T { try JSONDecoder().decode(T.self, from: Data(text.utf8)) }

  @Test(
    "an entry reads alike in camelCase and snake_case, with ids as numbers or strings, dates in both forms",
    arguments: [
      #"{"id":9001,"feedId":7,"guid":"g","title":"T","published":"2026-11-28T06:00:00Z","read":true,"position":123.4,"positionAt":"2026-11-29T07:12:00Z","duration":3600,"enclosures":[{"id":42,"url":"/media/42","type":"audio/mpeg","bytes":28800000}]}"#,
      #"{"id":"9001","feed_id":"7","guid":"g","title":"T","published":1795845600,"read":1,"position":"123.4","position_at":1795936320,"duration":"3600","enclosures":[{"id":"42","type":"audio/mpeg","bytes":"28800000"},{"nothing":1}],"unknown":{"x":[]}}"#,
      #"{"id":9001,"feedId":7,"guid":"g","title":"T","published":"2026-11-28T07:00:00.000+01:00","read":"true","position":123.4,"positionAt":"2026-11-29 07:12:00.000000","duration":3600.0,"enclosures":[{"id":42,"url":"/media/42","mimeType":"audio/mpeg","length":28800000}]}"#,
    ])
  func entry(_ text: String) throws {
    let entry: IPXEntry = try decode(text)
    #expect(entry.id == "9001" && entry.feed == "7" && entry.guid == "g" && entry.isRead && !entry.isStarred)
    #expect(entry.published?.unixSeconds == 1_795_845_600)
    #expect(entry.position == MediaTime(seconds: 123.4) && entry.positionAt?.unixSeconds == 1_795_936_320)
    #expect(entry.duration == .seconds(3600))
    #expect(entry.enclosures.map(\.url) == ["/media/42"] && entry.enclosures.first?.bytes == 28_800_000)
  }

  @Test("lists come bare or wrapped, and one bad item is skipped and counted")
  func lists() throws {
    for text in [
      #"[{"id":1,"title":"A"},{"title":"no id"},7,null,{"id":"b","name":"B"}]"#,
      #"{"feeds":[{"id":1,"title":"A"},{},"x",[],{"id":"b","name":"B"}]}"#,
    ] {
      let list: IPXFeedList = try decode(text)
      #expect(list.feeds.map(\.id) == ["1", "b"] && list.feeds.map(\.title) == ["A", "B"])
      #expect(list.skipped == 3)
    }
    let page: IPXEntryPage = try decode(#"{"entries":[{"id":1,"feedId":2},{"id":3}],"next":12,"sync":99}"#)
    #expect(page.entries.count == 1 && page.skipped == 1 && page.next == "12" && page.sync == "99")
    let last: IPXEntryPage = try decode(#"{"entries":[],"next":null}"#)
    #expect(last.next == nil && last.sync == nil)
    #expect(throws: (any Error).self) { let _: IPXEntryPage = try decode(#"{"x":1}"#) }
  }

  @Test(
    "numbers from outside never trap",
    arguments: ["-5", "1e300", "-1e300", "\"NaN\"", "\"inf\"", "null", "{}", "[1]", "true", "18446744073709551615"])
  func numbers(_ number: String) throws {
    let text =
      #"{"id":1,"feedId":1,"position":\#(number),"duration":\#(number),"published":\#(number),"positionAt":\#(number),"enclosures":[{"id":1,"bytes":\#(number),"duration":\#(number)}]}"#
    let entry: IPXEntry = try decode(text)
    #expect(entry.position >= .zero && (entry.duration ?? .zero) >= .zero && (entry.enclosures.first?.bytes ?? 0) >= 0)
  }

  @Test(
    "folders keep their path, without empty parts",
    arguments: [("News/Tech", "News/Tech"), (" News / Tech ", "News/Tech"), ("//A//", "A"), ("", nil), ("/", nil)]
      as [(String, String?)])
  func folder(_ text: String, _ path: String?) throws {
    let feed: IPXFeed = try decode(#"{"id":1,"folder":"\#(text)"}"#)
    #expect(feed.folder == path)
  }

  @Test("titles are one line of at most ten thousand characters")
  func titles() throws {
    let feed: IPXFeed = try decode(#"{"id":1,"title":"a\nb\tc\#(String(repeating: "x", count: 20_000))"}"#)
    #expect(feed.title.hasPrefix("a b c") && feed.title.count == 10_000)
  }
}

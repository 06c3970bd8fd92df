import FoundationEssentials
import Testing

@testable import EmbeddedServer

@Suite struct DemoTests {
  private let fixture: ServerFixture
  private let folder: String

  init() throws {
    var options = EmbeddedServerOptions()
    options.demo = true
    folder = try DemoLibrary.folder()
    fixture = try ServerFixture(try FolderLibrary(options))
  }

  private func entries() throws -> [EntryShape] {
    let page: PageShape = try fixture.json("/api/entries?limit=1000")
    return page.entries
  }

  @Test func hasFeedsInAndOutsideFolders_withCovers() throws {
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.count >= 3)
    #expect(feeds.contains { $0.folder == "News/Tech" })
    #expect(feeds.contains { $0.folder == nil })
    for feed in feeds {
      let cover = try fixture.get(try #require(feed.artwork))
      #expect(cover.headers["content-type"] == "image/png")
      #expect(cover.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test func hasTenEpisodes_andOneFilm_underFourMegabytes() throws {
    let entries = try entries()
    let films = entries.filter { $0.enclosures[0].type.hasPrefix("video/") }
    #expect(films.count == 1)
    #expect(entries.count - films.count >= 10)
    #expect(entries.reduce(0) { $0 + $1.enclosures[0].bytes } < 4_000_000)
    for entry in entries where entry.enclosures[0].type == "audio/mpeg" {
      // 32 kbit/s are 4,000 bytes a second.
      #expect((240_000...720_000).contains(entry.enclosures[0].bytes), "\(entry.title)")
      #expect(entry.duration.map { (60...180).contains($0) } == true, "\(entry.title)")
      #expect(entry.summary?.isEmpty == false)
    }
  }

  @Test func hasOnePartHeard_oneWithChapters_andTitlesOfManyScripts() throws {
    let entries = try entries()
    #expect(entries.filter { $0.position > 0 && !$0.read }.count == 1)
    #expect(entries.contains { $0.read })
    let chapters = try fixture.get(try #require(entries.compactMap(\.chapters).first)).text
    #expect(chapters.components(of: "\"start\"") == 3)
    func has(_ range: ClosedRange<UInt32>) -> Bool {
      entries.contains { $0.title.unicodeScalars.contains { range.contains($0.value) } }
    }
    #expect(has(0x3040...0x9FFF))
    #expect(has(0x0600...0x06FF))
    #expect(has(0x1F300...0x1FAFF))
  }

  @Test func whatIsDone_staysOutOfTheInstalledFiles() throws {
    let path = folder + "/.ipodderx/state.json"
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let id = try #require(try entries().first).id
    #expect(try fixture.put("/api/entries/\(id)/starred", #"{"starred":true}"#).status == 204)
    #expect(try entries().first?.starred == true)
    fixture.server.stop()
    let after = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(after == before)
  }
}

import FoundationEssentials
import Glibc
import Testing

@testable import EmbeddedServer

@Suite struct FolderTests {
  private let folder = TemporaryFolder()

  private func serve() throws -> ServerFixture {
    try ServerFixture(try FolderLibrary(EmbeddedServerOptions(folder: folder.path)))
  }

  @Test func foldersOfAudio_areFeeds_andWhatTheyLieInIsTheirFolder() throws {
    for name in [
      "top.mp3", "One/a.mp3", "One/b.MP3", "News/Tech/Two/c.m4a", "News/Tech/Two/film.mp4", "Empty/readme.txt", ".git/x.mp3",
    ] {
      try folder.write(name, [1, 2, 3])
    }
    try folder.write("One/cover.jpg", [9])
    try folder.write("One/.hidden.mp3", [9])
    let fixture = try serve()
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    let own = String(folder.path.split(separator: "/").last ?? "")
    #expect(Set(feeds.map(\.title)) == ["One", "Two", own])
    #expect(feeds.first { $0.title == "Two" }?.folder == "News/Tech")
    #expect(feeds.first { $0.title == "Two" }?.total == 2)
    let one = try #require(feeds.first { $0.title == "One" })
    #expect(one.folder == nil)
    let page: PageShape = try fixture.json("/api/entries?feed=\(one.id)")
    #expect(Set(page.entries.map(\.guid)) == ["One/a.mp3", "One/b.MP3"])
    let art = try fixture.get(try #require(one.artwork))
    #expect(art.body == [9])
    #expect(art.headers["content-type"] == "image/jpeg")
    #expect(try fixture.get(try #require(one.artwork), ["If-None-Match": try #require(art.headers["etag"])]).status == 304)
    let all: PageShape = try fixture.json("/api/entries")
    #expect(all.entries.filter { $0.enclosures[0].type.hasPrefix("video/") }.map(\.title) == ["film"])
  }

  @Test func wordsAndChapters_comeFromBesideTheFile() throws {
    try folder.write("Show/a.mp3", [1])
    try folder.write("Show/a.png", [7])
    try folder.write(
      "Show/feed.json",
      #"{"title":"番組","site":"https://example.org","episodes":{"a.mp3":{"title":"حلقة 🎧","published":"2026-01-02T03:04:05Z","summary":"s"}}}"#
    )
    try folder.write(
      "Show/a.chapters.json",
      #"{"version":"1.2.0","chapters":[{"startTime":60.5,"title":"Two"},{"startTime":0,"title":"One"},{"startTime":-1,"title":"no"}]}"#
    )
    let fixture = try serve()
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.map(\.title) == ["番組"])
    let page: PageShape = try fixture.json("/api/entries")
    let entry = page.entries[0]
    #expect(entry.title == "حلقة 🎧")
    #expect(entry.published == "2026-01-02T03:04:05Z")
    #expect(try fixture.get(try #require(entry.artwork)).body == [7])
    let chapters = try fixture.get(try #require(entry.chapters)).text
    #expect(chapters == #"[{"start":0,"title":"One","artwork":null},{"start":60.5,"title":"Two","artwork":null}]"#)
  }

  @Test func brokenWordsBesideTheFile_costOnlyThemselves() throws {
    try folder.write("Show/a.mp3", [1])
    try folder.write("Show/feed.json", "{")
    try folder.write("Show/a.chapters.json", "<html>")
    let fixture = try serve()
    let page: PageShape = try fixture.json("/api/entries")
    #expect(page.entries.map(\.title) == ["a"])
    #expect(page.entries[0].chapters == nil)
  }

  @Test func states_outliveTheServer_andIDsStayTheSame() throws {
    try folder.write("Show/a.mp3", [1])
    try folder.write("Show/b.mp3", [1])
    var fixture = try serve()
    let before: PageShape = try fixture.json("/api/entries?sort=oldest")
    let id = before.entries[0].id
    #expect(try fixture.put("/api/entries/\(id)/position", #"{"position":1.5,"at":"2026-01-01T00:00:00.25Z"}"#).status == 204)
    #expect(try fixture.put("/api/entries/\(id)/starred", #"{"starred":true}"#).status == 204)
    fixture = try serve()
    let after: PageShape = try fixture.json("/api/entries?sort=oldest")
    #expect(after.entries.map(\.id) == before.entries.map(\.id))
    #expect(after.entries[0].position == 1.5)
    #expect(after.entries[0].positionAt == "2026-01-01T00:00:00.250000Z")
    #expect(after.entries[0].starred)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/.ipodderx/state.json.part"))
  }

  @Test func stateFileNotUnderstood_isPutAside() throws {
    try folder.write("Show/a.mp3", [1])
    try folder.write(".ipodderx/state.json", #"{"version":9,"entries":{}}"#)
    let fixture = try serve()
    let page: PageShape = try fixture.json("/api/entries")
    #expect(try fixture.put("/api/entries/\(page.entries[0].id)/read", #"{"read":true}"#).status == 204)
    let aside = try String(contentsOfFile: folder.path + "/.ipodderx/state.json.unreadable", encoding: .utf8)
    #expect(aside == #"{"version":9,"entries":{}}"#)
  }

  @Test func whereNothingCanBeWritten_statesAreHeldInMemory() throws {
    try folder.write("Show/a.mp3", [1])
    // A file where the folder would be: refused even to root.
    try folder.write(".ipodderx", "in the way")
    let fixture = try serve()
    let page: PageShape = try fixture.json("/api/entries")
    #expect(try fixture.put("/api/entries/\(page.entries[0].id)/read", #"{"read":true}"#).status == 204)
    let after: PageShape = try fixture.json("/api/entries")
    #expect(after.entries[0].read)
  }

  @Test func filesThatComeAndGo_areNoticedAndTold() throws {
    try folder.write("Show/a.mp3", [1])
    let fixture = try serve()
    let first: PageShape = try fixture.json("/api/entries")
    let client = try RawClient(port: fixture.port)
    try client.send("GET", "/api/events")
    _ = try client.head()
    _ = try client.text(until: "id: ")
    try folder.write("New/Deep/b.mp3", [1])
    _ = try client.text(until: "New/Deep/b.mp3")
    _ = try client.text(until: "event: me")
    let second: PageShape = try fixture.json("/api/entries?changed=" + first.sync)
    #expect(second.entries.map(\.guid) == ["New/Deep/b.mp3"])
    unlink(folder.path + "/Show/a.mp3")
    _ = try client.text(until: "\"unread\":0,\"total\":0")
    let third: PageShape = try fixture.json("/api/entries")
    #expect(third.entries.map(\.guid) == ["New/Deep/b.mp3"])
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.map(\.title) == ["Deep"])
  }

  @Test func missingFolder_isAnErrorWithItsName() {
    for path in ["/nowhere/at all", "/etc/passwd", ""] {
      let error = #expect(throws: EmbeddedServerError.self) { try EmbeddedServer(EmbeddedServerOptions(folder: path)) }
      #expect(error?.code == .folderMissing)
      #expect(error?.description.contains(path) == true)
    }
  }

  @Test func links_areFollowed_butNotOutOfTheFolder() throws {
    let outside = TemporaryFolder()
    try outside.write("secret.mp3", [1, 2, 3])
    try outside.write("Elsewhere/b.mp3", [1])
    try outside.write("cover.jpg", [9])
    try outside.write("feed.json", #"{"title":"Secret"}"#)
    try folder.write("Show/a.mp3", [5])
    for (target, name) in [
      (outside.path + "/secret.mp3", "Show/stolen.mp3"), (outside.path + "/Elsewhere", "Elsewhere"),
      (outside.path + "/cover.jpg", "Show/cover.jpg"), (outside.path + "/feed.json", "Show/feed.json"),
      ("../../" + (outside.path.split(separator: "/").last ?? "") + "/secret.mp3", "Show/by the way.mp3"),
      ("a.mp3", "Show/inside.mp3"), ("nowhere.mp3", "Show/dangling.mp3"),
    ] {
      #expect(symlink(target, folder.path + "/" + name) == 0)
    }
    let fixture = try serve()
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.map(\.title) == ["Show"])
    #expect(feeds.first?.artwork == nil)
    let page: PageShape = try fixture.json("/api/entries")
    #expect(Set(page.entries.map(\.guid)) == ["Show/a.mp3", "Show/inside.mp3"])
    for entry in page.entries { #expect(try fixture.get(entry.enclosures[0].url).body == [5]) }
    // What was inside when it was read, and leads out when it is asked for.
    let file = try #require(page.entries.first { $0.guid == "Show/a.mp3" }).enclosures[0].url
    #expect(rename(folder.path + "/Show", folder.path + "/.away") == 0)
    #expect(rename(outside.path + "/secret.mp3", outside.path + "/a.mp3") == 0)
    #expect(symlink(outside.path, folder.path + "/Show") == 0)
    #expect(try fixture.get(file).status == 404)
  }

  @Test func loopOfLinks_ends() throws {
    try folder.write("Show/a.mp3", [1])
    symlink(folder.path, folder.path + "/Show/again")
    let fixture = try serve()
    let feeds: [FeedShape] = try fixture.json("/api/feeds")
    #expect(feeds.count == 1)
  }
}

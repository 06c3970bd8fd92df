import Testing

@testable import EmbeddedServer

@Suite struct MediaTests {
  private let folder = TemporaryFolder()
  private let fixture: ServerFixture
  private let url: String
  private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

  init() throws {
    try folder.write("Show/episode.mp3", bytes)
    fixture = try ServerFixture(try FolderLibrary(EmbeddedServerOptions(folder: folder.path)))
    let page: PageShape = try fixture.json("/api/entries")
    url = try #require(page.entries.first?.enclosures.first).url
  }

  @Test func whole_comesWithWhatARangeNeeds() throws {
    let answer = try fixture.get(url)
    #expect(answer.status == 200)
    #expect(answer.body == bytes)
    #expect(answer.headers["accept-ranges"] == "bytes")
    #expect(answer.headers["content-type"] == "audio/mpeg")
    #expect(answer.headers["etag"]?.hasPrefix("\"") == true)
    #expect(answer.headers["last-modified"]?.hasSuffix(" GMT") == true)
  }

  @Test(arguments: [
    ("bytes=0-0", 0..<1), ("bytes=10-19", 10..<20), ("bytes=99990-", 99_990..<100_000), ("bytes=-7", 99_993..<100_000),
    ("bytes=-200000", 0..<100_000), ("bytes=99999-200000", 99_999..<100_000), ("Bytes = 5 - 6", 5..<7),
    ("bytes=0-99999999999999999999999", 0..<100_000),
  ])
  func range_isThatPart(header: String, part: Range<Int>) throws {
    let answer = try fixture.get(url, ["Range": header])
    #expect(answer.status == 206)
    #expect(answer.body == Array(bytes[part]))
    #expect(answer.headers["content-range"] == "bytes \(part.lowerBound)-\(part.upperBound - 1)/100000")
    #expect(answer.headers["content-length"] == "\(part.count)")
  }

  @Test(arguments: ["bytes=100000-", "bytes=100000-100001", "bytes=-0", "bytes=99999999999999999999-"])
  func rangeBehindTheEnd_is416(header: String) throws {
    let answer = try fixture.get(url, ["Range": header])
    #expect(answer.status == 416)
    #expect(answer.headers["content-range"] == "bytes */100000")
  }

  @Test(arguments: [
    "bytes=5-2", "bytes=a-b", "bytes=", "bytes=-", "octets=1-2", "bytes=0-1,4-5", "5-6", "bytes=--5", "bytes=+1-2",
  ])
  func rangeNotUnderstood_isTheWhole(header: String) throws {
    let answer = try fixture.get(url, ["Range": header])
    #expect(answer.status == 200)
    #expect(answer.body.count == bytes.count)
  }

  @Test func ifRange_givesThePartOnlyOfTheSameFile() throws {
    let whole = try fixture.get(url)
    let tag = try #require(whole.headers["etag"])
    let date = try #require(whole.headers["last-modified"])
    for same in [tag, date] {
      #expect(try fixture.get(url, ["Range": "bytes=1-2", "If-Range": same]).status == 206)
    }
    for other in ["\"other\"", "W/" + tag, "Sun, 06 Nov 1994 08:49:37 GMT"] {
      #expect(try fixture.get(url, ["Range": "bytes=1-2", "If-Range": other]).body.count == bytes.count)
    }
    try folder.write("Show/episode.mp3", bytes.reversed())
    let after = try fixture.get(url, ["Range": "bytes=1-2", "If-Range": tag])
    #expect(after.status == 200)
    #expect(after.body == bytes.reversed())
  }

  @Test func ifNoneMatch_is304() throws {
    let tag = try #require(try fixture.get(url).headers["etag"])
    for same in [tag, "W/" + tag, "\"x\", " + tag, "*"] {
      let answer = try fixture.get(url, ["If-None-Match": same])
      #expect(answer.status == 304)
      #expect(answer.headers["etag"] == tag)
    }
    #expect(try fixture.get(url, ["If-None-Match": "\"x\""]).status == 200)
  }

  @Test func head_isTheHeadersAlone() throws {
    let answer = try RawClient.ask(fixture.port, "HEAD", url)
    #expect(answer.status == 200)
    #expect(answer.headers["content-length"] == "100000")
    let part = try RawClient.ask(fixture.port, "HEAD", url, ["Range": "bytes=0-9"])
    #expect(part.status == 206)
    #expect(part.headers["content-length"] == "10")
  }

  @Test func deadAir_isThereOnlyWithACut() throws {
    #expect(try fixture.get(url + "/deadair").status == 404)
    try folder.write("Show/episode.deadair.mp3", [1, 2, 3])
    let library = try FolderLibrary(EmbeddedServerOptions(folder: folder.path))
    let second = try ServerFixture(library)
    let page: PageShape = try second.json("/api/entries")
    #expect(page.entries.count == 1)
    let cut = try #require(page.entries[0].enclosures[0].deadair)
    #expect(try second.get(cut).body == [1, 2, 3])
    #expect(try second.get(cut, ["Range": "bytes=1-"]).body == [2, 3])
  }

  @Test func emptyAndVanishedFiles_haveAnAnswer() throws {
    try folder.write("Show/empty.mp3", [])
    try folder.write("Show/gone.mp3", [1])
    let second = try ServerFixture(try FolderLibrary(EmbeddedServerOptions(folder: folder.path)))
    let page: PageShape = try second.json("/api/entries")
    let empty = try #require(page.entries.first { $0.title == "empty" }).enclosures[0].url
    #expect(try second.get(empty).body.isEmpty)
    #expect(try second.get(empty, ["Range": "bytes=0-"]).status == 416)
  }

  @Test(arguments: [
    "/media/../../etc/passwd", "/media/..%2f..%2fetc%2fpasswd", "/media/%2e%2e/%2e%2e/etc/passwd", "/../etc/passwd",
    "/media//etc/passwd", "/media/Show/episode.mp3", "/media/", "/media/-1", "/media/9223372036854775808", "/media/0",
    "/media/1/deadair/x", "/media/1/other", "/api/art/../../etc/passwd", "/api/art/1%00", "//media/1", "/", "/api",
    "/api/entries/../me/chapters", "/debug/counters",
  ])
  func pathsNameNoFiles(path: String) throws {
    #expect(try fixture.get(path).status == 404)
  }
}

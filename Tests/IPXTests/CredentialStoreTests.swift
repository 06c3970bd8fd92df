import DBus
import FoundationEssentials
import Glibc
import Reactor
import TestKit
import Testing

@testable import IPX

/// Where no Secret Service is: files.
@Suite(.timeLimit(.minutes(1))) struct CredentialStoreTests {
  private let home = TemporaryFolder()
  private var folder: String { home.file("share/ipodderx-car") }
  private let server: ServerAddress
  private let api: ServerAddress

  init() throws {
    server = try ServerAddress(parsing: "pod.example.org")
    api = try ServerAddress(parsing: "https://api.example.org/")
  }

  private func store(server: ServerAddress? = nil, api: ServerAddress? = nil) -> CredentialStore {
    CredentialStore(server: server ?? self.server, api: api ?? self.api, folder: folder, bus: nil)
  }

  private func mode(_ name: String) -> mode_t {
    var status = stat()
    return stat(folder + "/" + name, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  private func jar(_ host: String, _ value: String) -> String { "\(host)\tFALSE\t/\tTRUE\t0\tipx_session\t\(value)\n" }

  @Test func token_isKeptInAFileOfOnesOwn_forItsAddressOnly() async throws {
    let keeper = try await store().keepToken("  secret-token\n")
    #expect(keeper == .file)
    #expect(mode("token") == 0o600)
    #expect(await store().reload().token?.reveal() == "secret-token")
    // Another address gets nothing of it, be it only another port or scheme.
    for other in ["https://other.example.org", "https://api.example.org:8443", "http://localhost"] {
      let elsewhere = try ServerAddress(parsing: other)
      #expect(await store(api: elsewhere).reload().token == nil)
      try await store(api: elsewhere).keepToken("second")
    }
    #expect(await store().reload().token?.reveal() == "secret-token")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(left == ["token"])
  }

  @Test(arguments: ["", " \n", "two words", "n\u{F6}", "a\u{0}b"]) func whatIsNoToken_isRefusedWithoutSayingIt(text: String) async
  {
    let error = await #expect(throws: CredentialError.self) { try await store().keepToken(text) }
    #expect(error?.code == .notAToken)
    #expect(error.map { !$0.description.contains("two") } == true)
    #expect(mode("token") == 0)
  }

  @Test func cookies_ofTheServersHostAreKept_othersUntouched() async throws {
    let names = try await store().importCookies(jar("pod.example.org", "one") + jar("evil.org", "two"))
    #expect(names == ["ipx_session"])
    #expect(mode("cookies") == 0o600)
    let second = store(server: try ServerAddress(parsing: "second.example.org"))
    try await second.importCookies(jar("second.example.org", "three"))
    #expect(await store().reload().cookies.map { $0.value.reveal() } == ["one"])
    #expect(await second.reload().cookies.map { $0.value.reveal() } == ["three"])
    let error = await #expect(throws: CredentialError.self) { try await store().importCookies(jar("evil.org", "two")) }
    #expect(error?.code == .noCookies)
  }

  @Test func setCookie_renewsWhatIsKept_fromTheServersOwnHostOnly() async throws {
    let store = store()
    try await store.importCookies(jar("pod.example.org", "one"))
    await store.takeUp(["ipx_session=evil"], from: "evil.org")
    await store.takeUp(["ipx_session=evil; Domain=org", "other=x"], from: "pod.example.org")
    #expect(await store.held.cookies.map { $0.value.reveal() } == ["one"])
    await store.takeUp(["CF_Authorization=access; Path=/", "ipx_session=two; HttpOnly"], from: "POD.example.org")
    #expect(await store.held.cookies.map { $0.value.reveal() } == ["access", "two"])
    #expect(await self.store().reload().cookies.map { $0.value.reveal() } == ["access", "two"])
    // A withdrawal throws nothing away.
    await store.takeUp(["ipx_session=; Max-Age=0"], from: "pod.example.org")
    #expect(await store.held.cookies.count == 2)
  }

  @Test func renewalsAtOnce_areAllKept() async throws {
    let store = store()
    try await store.importCookies(jar("pod.example.org", "one"))
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await store.takeUp(["ipx_session=two"], from: "pod.example.org") }
      group.addTask { await store.takeUp(["CF_Authorization=access; Path=/"], from: "pod.example.org") }
    }
    #expect(await store.held.cookies.map { $0.value.reveal() } == ["access", "two"])
    #expect(await self.store().reload().cookies.map { $0.value.reveal() } == ["access", "two"])
  }

  @Test func fileThatIsNotUsed_isNotWrittenOver() async throws {
    try await store(api: try ServerAddress(parsing: "https://other.example.org")).keepToken("others-token")
    chmod(folder + "/token", 0o644)
    let error = await #expect(throws: CredentialError.self) { try await store().keepToken("secret-token") }
    #expect(error?.code == .readableByOthers)
    #expect(try String(contentsOfFile: folder + "/token", encoding: .utf8).contains("others-token"))
    chmod(folder + "/token", 0o600)
    try await store().keepToken("secret-token")
    let text = try String(contentsOfFile: folder + "/token", encoding: .utf8)
    #expect(text.contains("others-token") && text.contains("secret-token"))
  }

  @Test func cookiesAreToldBeforeTheyAreKept_withThoseThatAre() async throws {
    try await store().importCookies(jar("pod.example.org", "one"))
    let more = "pod.example.org\tFALSE\t/\tTRUE\t0\tCF_Authorization\taccess\n"
    #expect(try await store().cookies(withJar: more).all.map { $0.value.reveal() } == ["access", "one"])
    #expect(await store().reload().cookies.map { $0.value.reveal() } == ["one"])
  }

  @Test(arguments: [0o640, 0o604, 0o666, 0o620]) func fileThatOthersMayRead_isNotUsed(mode: Int) async throws {
    let store = store()
    try await store.keepToken("secret-token")
    chmod(folder + "/token", mode_t(mode))
    #expect(await store.reload().token == nil)
    let problem = try #require(await store.problem)
    #expect(problem.code == .readableByOthers)
    #expect(problem.description.contains("chmod 600"))
    #expect(!problem.description.contains("secret-token"))
    chmod(folder + "/token", 0o600)
    #expect(await store.reload().token != nil)
    #expect(await store.problem == nil)
  }

  @Test func linkInPlaceOfTheFile_isNotFollowed() async throws {
    let store = store()
    try await store.keepToken("secret-token")
    rename(folder + "/token", folder + "/elsewhere")
    symlink(folder + "/elsewhere", folder + "/token")
    #expect(await store.reload().token == nil)
    #expect(await store.problem?.code == .notOurs)
    // Writing puts a file in its place and leaves what it led to alone.
    try await store.keepToken("new-token")
    #expect(try String(contentsOfFile: folder + "/elsewhere", encoding: .utf8).contains("secret-token"))
    #expect(await store.reload().token?.reveal() == "new-token")
  }

  @Test func whatAnotherProcessStores_isTakenUpWithoutARestart() async throws {
    let store = store()
    try await store.keepToken("old-token")
    await store.watch()
    let changes = store.changes.subscribe()
    try await self.store().keepToken("new-token")
    for await held in changes where held.token?.reveal() == "new-token" { break }
    #expect(await store.held.token?.reveal() == "new-token")
  }

  @Test func folderThatCannotBeMade_isSaidWithItsName() async throws {
    let parent = String(folder.dropLast("/ipodderx-car".count))
    try Data().write(to: URL(fileURLWithPath: parent))
    let error = await #expect(throws: CredentialError.self) { try await store().keepToken("secret-token") }
    #expect(error?.code == .disk)
    #expect(error?.description.contains(folder) == true)
    #expect(error?.description.contains("secret-token") == false)
  }
}

import DBus
import Glibc
import Reactor
import TestKit
import Testing

@testable import IPX

/// Against a real keyring (gnome-keyring-daemon) on a bus of its own, its home in that bus's folder.
@Suite(.timeLimit(.minutes(1))) struct SecretServiceTests {
  private let bus: PrivateBus
  private let connection: DBusConnection
  private let keyring: ChildProcess
  private let server: ServerAddress
  private let api: ServerAddress
  private let home = TemporaryFolder()
  private var folder: String { home.file("data") }

  init() async throws {
    bus = try await PrivateBus.start()
    let home = home.path
    connection = try await DBusConnection.open(.address(bus.address))
    let owners = try await connection.signals(member: "NameOwnerChanged", arg0: "org.freedesktop.secrets")
    try Self.password(home + "/password")
    let password = open(home + "/password", O_RDONLY | O_CLOEXEC)
    defer { close(password) }
    keyring = try ChildProcess(
      "gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"],
      environment: bus.environment(["HOME": home, "XDG_RUNTIME_DIR": home]), descriptors: [0: password])
    if try await !connection.nameHasOwner("org.freedesktop.secrets") {
      for await owner in owners where owner.arguments.last?.asString?.isEmpty == false { break }
    }
    server = try ServerAddress(parsing: "pod.example.org")
    api = try ServerAddress(parsing: "api.example.org")
  }

  private static func password(_ path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    let text = Array("pw\n".utf8)
    #expect(write(file, text, text.count) == text.count)
    close(file)
  }

  private func store(api: ServerAddress? = nil) -> CredentialStore {
    CredentialStore(server: server, api: api ?? self.api, folder: folder, bus: connection)
  }

  @Test func token_isInTheKeyring_forItsAddressOnly_andInNoFile() async throws {
    #expect(try await store().keepToken("first-token") == .secretService)
    #expect(try await store().keepToken("second-token") == .secretService)
    #expect(await store().reload().token?.reveal() == "second-token")
    let elsewhere = try ServerAddress(parsing: "other.example.org")
    #expect(await store(api: elsewhere).reload().token == nil)
    #expect(access(folder + "/token", F_OK) != 0)
  }

  @Test func cookies_areInTheKeyring_andRenewed() async throws {
    let store = store()
    try await store.importCookies("pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\tone\n")
    await store.takeUp(["ipx_session=two"], from: "pod.example.org")
    #expect(await self.store().reload().cookies.map { $0.value.reveal() } == ["two"])
    #expect(access(folder + "/cookies", F_OK) != 0)
  }

  @Test func whatAnotherProcessStores_isTakenUpWithoutARestart() async throws {
    let store = store()
    try await store.keepToken("old-token")
    await store.watch()
    let changes = store.changes.subscribe()
    let stranger = CredentialStore(
      server: server, api: api, folder: folder, bus: try await DBusConnection.open(.address(bus.address)))
    try await stranger.keepToken("new-token")
    for await held in changes where held.token?.reveal() == "new-token" { break }
    #expect(await store.held.token?.reveal() == "new-token")
  }

  @Test func lockedKeyring_isSaidAndAsksNobody() async throws {
    let store = store()
    try await store.keepToken("secret-token")
    _ = try await connection.call(
      "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "Lock",
      [.objectPaths(["/org/freedesktop/secrets/collection/login"])])
    #expect(await store.reload().token == nil)
    #expect(await store.problem?.code == .locked)
    let error = await #expect(throws: CredentialError.self) { try await store.keepToken("other-token") }
    #expect(error?.code == .locked)
    #expect(access(folder + "/token", F_OK) != 0)
  }

  @Test(
    "what was entered last counts, wherever it came to lie: in a file while the keyring did not answer, in the keyring when it did again"
  )
  func theLastOneCounts() async throws {
    func cookie(_ value: String) -> String { "pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\t\(value)\n" }
    let elsewhere = try ServerAddress(parsing: "other.example.org")
    func alone(_ api: ServerAddress) -> CredentialStore {
      CredentialStore(server: server, api: api, folder: folder, bus: nil)
    }
    func read() async -> [String?] {
      let held = await store().reload()
      return [held.token?.reveal()] + held.cookies.map { $0.value.reveal() }
    }
    try await store().keepToken("one")
    try await store().importCookies(cookie("one"))
    #expect(await read() == ["one", "one"])
    try await alone(api).keepToken("two")
    try await alone(api).importCookies(cookie("two"))
    try await alone(elsewhere).keepToken("others")
    #expect(await read() == ["two", "two"])
    try await store().keepToken("three")
    await store().takeUp(["ipx_session=three"], from: "pod.example.org")
    #expect(await read() == ["three", "three"])
    // Nothing of it is left where an older one would count, and what is others' is theirs.
    #expect(await alone(api).reload().token == nil)
    #expect(await alone(api).held.cookies.isEmpty)
    #expect(await alone(elsewhere).reload().token?.reveal() == "others")
  }

  @Test func busWithoutAKeyring_meansFiles() async throws {
    let empty = try await PrivateBus.start()
    let connection = try await DBusConnection.open(.address(empty.address))
    let store = CredentialStore(server: server, api: api, folder: folder, bus: connection)
    #expect(try await store.keepToken("secret-token") == .file)
    #expect(await store.reload().token?.reveal() == "secret-token")
    #expect(await store.problem == nil)
  }
}

/// A keyring that is there and never answers, as one does that cannot be started.
@Suite(.timeLimit(.minutes(1))) struct SilentKeyringTests {
  @Test("what the files have is had within a moment; what the keyring says later is taken up; it is asked once")
  func files() async throws {
    let bus = try await PrivateBus.start()
    let home = TemporaryFolder()
    let address = try ServerAddress(parsing: "pod.example.org")
    let alone = CredentialStore(server: address, api: address, folder: home.file("data"), bus: nil)
    try await alone.keepToken("from-the-file")

    let (keyring, client) = (
      try await DBusConnection.open(.address(bus.address)), try await DBusConnection.open(.address(bus.address))
    )
    let silent = SilentKeyring()
    await keyring.export("/org/freedesktop/secrets", [silent])
    #expect(try await keyring.requestName("org.freedesktop.secrets"))
    let time = ManualTimekeeper()
    let store = CredentialStore(server: address, api: address, folder: home.file("data"), bus: client, timekeeper: time)
    let changes = store.changes.subscribe()
    async let read = store.reload()
    let question = try #require(await silent.asked.next())
    // The bus's own time-out is not needed.
    await time.advance(by: .seconds(2))
    #expect(await read.token?.reveal() == "from-the-file")
    // It turns out that there is nothing: the file's word stands.
    question(.array(element: "o", []), .array(element: "o", []))
    let second = try #require(await silent.asked.next())
    second(.array(element: "o", []), .array(element: "o", []))
    #expect(await store.held.token?.reveal() == "from-the-file")
    for await held in changes {
      #expect(held.token?.reveal() == "from-the-file")
      break
    }
    await client.close()
    await keyring.close()
    await bus.stop()
  }

  @Test("who waits for it waits once: what is kept after it gave no answer goes to the file, and is known without asking again")
  func once() async throws {
    let bus = try await PrivateBus.start()
    let home = TemporaryFolder()
    let address = try ServerAddress(parsing: "pod.example.org")
    let (keyring, client) = (
      try await DBusConnection.open(.address(bus.address)), try await DBusConnection.open(.address(bus.address))
    )
    let silent = SilentKeyring()
    await keyring.export("/org/freedesktop/secrets", [silent])
    #expect(try await keyring.requestName("org.freedesktop.secrets"))
    let store = CredentialStore(server: address, api: address, folder: home.file("data"), bus: client)
    async let read = store.cookies(withJar: "pod.example.org\tFALSE\t/\tTRUE\t0\tipx_session\tone\n")
    // As the bus answers for it in the end.
    try #require(await silent.asked.next()).fail(.noReply("It took too long."))
    try await store.keepCookies(try await read.all)
    #expect(await store.held.cookies.map { $0.value.reveal() } == ["one"])
    #expect(silent.asked.takeAll().isEmpty)
    #expect(home.read("data/cookies") != nil)
    await client.close()
    await keyring.close()
    await bus.stop()
  }
}

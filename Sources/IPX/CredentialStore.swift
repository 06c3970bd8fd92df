import DBus
import Reactor

/// The token and the cookies of one server: in the Secret Service where one answers, else in files of mode 0600. Each is bound
/// to the address it was given for and is handed out for no other.
public actor CredentialStore {
  public enum Keeper: Sendable, Equatable { case secretService, file }

  /// What is known now.
  public struct Held: Sendable, Equatable {
    public var token: Secret?
    public var cookies: [StoredCookie] = []

    public init() {}
  }

  /// A value whenever what is held has become another.
  public nonisolated let changes = Broadcast<Held>()
  /// As last read.
  public private(set) var held = Held()
  /// Why something that is there could not be read, for `doctor`; nil when all is well.
  public private(set) var problem: CredentialError?

  private let server: ServerAddress
  private let api: ServerAddress
  private let folder: String
  private let secrets: SecretService?
  private let timekeeper: any Timekeeper
  private var watches: [Task<Void, Never>] = []
  /// How often it was read.
  private var readings: UInt64 = 0

  /// - Parameters:
  ///   - server: the page's address, whose cookies are kept; `api`: the token's.
  ///   - folder: `Places.data`.
  ///   - bus: the session bus; nil where there is none.
  public init(
    server: ServerAddress, api: ServerAddress, folder: String, bus: DBusConnection?,
    timekeeper: any Timekeeper = SystemTimekeeper()
  ) {
    (self.server, self.api, self.folder, self.timekeeper) = (server, api, folder, timekeeper)
    secrets = bus.map { SecretService(bus: $0) }
  }

  deinit { for watch in watches { watch.cancel() } }

  // MARK: Reading

  /// A keyring answers at once. One that is being started, or hangs, is not waited for longer where the files have something.
  private static let moment = Duration.seconds(1)

  /// Reads what is stored now. Never asks anybody; a locked keyring is a `problem`, and the files are read all the same. What a slow keyring
  /// has to say later is in `changes`.
  @discardableResult
  public func reload() async -> Held {
    problem = nil
    readings += 1
    let reading = readings
    let files = Found(token: readFile("token"), cookies: readFile("cookies"))
    let asking = Task { await askKeyring() }
    guard isAnything(files) else {
      take(files, await asking.value, reading)
      return held
    }
    let (answers, answer) = AsyncStream.makeStream(of: Found?.self, bufferingPolicy: .bufferingOldest(1))
    let alarm = timekeeper.alarm(after: Self.moment, leeway: Self.moment / 10, on: .callbacks) { answer.yield(nil) }
    Task { answer.yield(await asking.value) }
    var iterator = answers.makeAsyncIterator()
    let inTime = await iterator.next(isolation: #isolation) ?? nil
    alarm.cancel()
    take(files, inTime ?? Found(), reading)
    if inTime == nil { Task { take(files, await asking.value, reading) } }
    return held
  }

  /// The texts that one place holds.
  private struct Found: Sendable {
    var token: String?
    var cookies: String?
  }

  /// The keyring comes before the files. A later reading knows better.
  private func take(_ files: Found, _ keyring: Found, _ reading: UInt64) {
    guard reading == readings else { return }
    var found = Held()
    found.token = keyring.token.flatMap { Secret($0) } ?? token(inFile: files.token)
    found.cookies = [keyring.cookies, files.cookies].lazy.map { self.cookies(in: $0) }.first { !$0.isEmpty } ?? []
    guard found != held else { return }
    held = found
    changes.send(found)
  }

  private func isAnything(_ files: Found) -> Bool { token(inFile: files.token) != nil || !cookies(in: files.cookies).isEmpty }
  private func token(inFile text: String?) -> Secret? { text.flatMap { TokenFile.tokens($0)[api.origin] } }

  private func cookies(in text: String?) -> [StoredCookie] {
    text.map { NetscapeJar.cookies($0, host: server.host, now: timekeeper.wall()) } ?? []
  }

  /// One that does not answer the first question is not asked the second.
  private func askKeyring() async -> Found {
    var found = Found()
    do throws(CredentialError) {
      found.token = try await lookUp("token", api)
      found.cookies = try await lookUp("cookies", server)
    } catch {
      Log.info(error.description)
    }
    return found
  }

  /// From now on, what another process stores is read as soon as it is there.
  public func watch() async {
    guard watches.isEmpty else { return }
    if let files = FolderWatch(folder) {
      watches.append(
        Task { [weak self] in
          for await name in files.changes where name.isEmpty || name == "token" || name == "cookies" { await self?.reload() }
        })
    }
    if let items = await secrets?.changes() {
      watches.append(
        Task { [weak self] in
          for await _ in items { await self?.reload() }
        })
    }
  }

  /// - Throws: where no keyring answers. A machine without one is no problem; a locked one is.
  private func lookUp(_ kind: String, _ address: ServerAddress) async throws(CredentialError) -> String? {
    guard let secrets else { return nil }
    do throws(CredentialError) {
      return try await secrets.lookUp(Self.attributes(kind, address), asking: false)
    } catch {
      guard error.code == .locked else { throw error }
      problem = error
      return nil
    }
  }

  private func readFile(_ name: String) -> String? {
    do throws(CredentialError) {
      return try CredentialFile(path: folder + "/" + name).read()
    } catch {
      problem = error
      Log.warning(error.description)
      return nil
    }
  }

  // MARK: Keeping

  /// Keeps a token for the API address, as somebody typed or piped it. `asking`: a locked keyring may ask its owner.
  @discardableResult
  public func keepToken(_ text: String, asking: Bool = false) async throws(CredentialError) -> Keeper {
    let trimmed = text.split(whereSeparator: \.isWhitespace)
    guard trimmed.count == 1, let token = Secret(trimmed[0]) else {
      throw CredentialError(.notAToken, "That is no API token: one word is expected, as the server's settings page shows it.")
    }
    let keeper = try await keep(token.reveal(), "token", api, asking: asking) { [api] text in
      var tokens = TokenFile.tokens(text ?? "")
      tokens[api.origin] = token
      return TokenFile.text(tokens)
    }
    await reload()
    return keeper
  }

  /// Keeps what signs us in at the server's host out of a Netscape cookie file, and nothing else of it. Returns their names.
  @discardableResult
  public func importCookies(_ jar: String, asking: Bool = false) async throws(CredentialError) -> [String] {
    let cookies = NetscapeJar.cookies(jar, host: server.host, now: timekeeper.wall())
    guard !cookies.isEmpty else {
      throw CredentialError(
        .noCookies, "There is no ipx_session and no CF_Authorization for \(server.host) in that file that is still good.")
    }
    try await keep(cookies, asking: asking)
    return cookies.map(\.name)
  }

  /// Takes up `Set-Cookie` lines that came from `host`; other hosts' are nothing to us.
  public func takeUp(_ setCookie: [String], from host: String) async {
    guard host.lowercased() == server.host else { return }
    let cookies = setCookie.compactMap { StoredCookie(setCookie: $0, from: server.host, now: timekeeper.wall()) }
    guard !cookies.isEmpty, Self.merged(held.cookies, cookies) != held.cookies else { return }
    do throws(CredentialError) {
      try await keep(cookies, asking: false)
    } catch {
      problem = error
      Log.warning("What the server renewed could not be kept. \(error)")
      // It still holds for this run.
      held.cookies = Self.merged(held.cookies, cookies)
      changes.send(held)
    }
  }

  private func keep(_ cookies: [StoredCookie], asking: Bool) async throws(CredentialError) {
    let mine = Self.merged(await reload().cookies, cookies)
    try await keep(NetscapeJar.text(mine), "cookies", server, asking: asking) { [server] text in
      // Other servers' cookies stay where they are.
      let others = (text ?? "").split(whereSeparator: \.isNewline).compactMap(NetscapeJar.cookie).filter {
        !$0.covers(server.host)
      }
      return NetscapeJar.text(others + mine)
    }
    await reload()
  }

  /// Into the keyring; where there is none, into the file that `merge` makes of its former text.
  @discardableResult
  private func keep(
    _ text: String, _ kind: String, _ address: ServerAddress, asking: Bool, merge: (String?) -> String
  ) async throws(CredentialError) -> Keeper {
    if let secrets {
      do throws(CredentialError) {
        try await secrets.keep(
          text, Self.attributes(kind, address), label: "ipodderx-car: \(kind) for \(address.host)", asking: asking)
        return .secretService
      } catch {
        // What went into a file meanwhile would be overruled by the keyring's older one when that is open again.
        if error.code == .locked { throw error }
        Log.info("Kept in a file. \(error)")
      }
    }
    let file = CredentialFile(path: folder + "/" + kind)
    try file.write(merge((try? file.read()) ?? nil))
    return .file
  }

  private static func merged(_ old: [StoredCookie], _ new: [StoredCookie]) -> [StoredCookie] {
    let names = Set(new.map(\.name))
    return (old.filter { !names.contains($0.name) } + new).sorted { $0.name < $1.name }
  }

  private static func attributes(_ kind: String, _ address: ServerAddress) -> [(String, String)] {
    [("xdg:schema", "net.sdf1.ipodderx"), ("server", address.origin), ("kind", kind)]
  }
}

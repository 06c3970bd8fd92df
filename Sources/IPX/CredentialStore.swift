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
  /// How often it was read, or something kept.
  private var readings: UInt64 = 0
  /// The keyring did not answer when it was asked last.
  private var isKeyringSilent = false
  /// What the server renewed and is not kept yet; one after the other, or the second would not know of the first.
  private var renewed: [StoredCookie] = []
  private var isRenewing = false

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
    readings += 1
    let reading = readings
    let files = readFiles()
    problem = files.problem
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

  /// The texts that one place holds, and why it does not tell all.
  private struct Found: Sendable {
    var token: String?
    var cookies: String?
    var problem: CredentialError?
  }

  /// The files come before the keyring: what goes into that is taken out of them, so they hold only what came later, or when none answered.
  /// A later reading knows better.
  private func take(_ files: Found, _ keyring: Found, _ reading: UInt64) {
    guard reading == readings else { return }
    problem = keyring.problem ?? files.problem
    var found = Held()
    found.token = token(inFile: files.token) ?? keyring.token.flatMap { Secret($0) }
    found.cookies = [files.cookies, keyring.cookies].lazy.map { self.cookies(in: $0) }.first { !$0.isEmpty } ?? []
    hold(found)
  }

  private func hold(_ now: Held) {
    guard now != held else { return }
    held = now
    changes.send(now)
  }

  private func isAnything(_ files: Found) -> Bool { token(inFile: files.token) != nil || !cookies(in: files.cookies).isEmpty }
  private func token(inFile text: String?) -> Secret? { text.flatMap { TokenFile.tokens($0)[api.origin] } }

  private func cookies(in text: String?) -> [StoredCookie] {
    text.map { NetscapeJar.cookies($0, host: server.host, now: timekeeper.wall()) } ?? []
  }

  /// One that does not answer the first question is not asked the second. A machine without one is no problem; a locked one is.
  private func askKeyring() async -> Found {
    var found = Found()
    guard let secrets else { return found }
    do throws(CredentialError) {
      found.token = try await secrets.lookUp(Self.attributes("token", api), asking: false)
      found.cookies = try await secrets.lookUp(Self.attributes("cookies", server), asking: false)
      isKeyringSilent = false
    } catch {
      isKeyringSilent = error.code == .noService
      if error.code == .locked { found.problem = error }
      Log.info(error.description)
    }
    return found
  }

  private func readFiles() -> Found {
    var found = Found()
    for (name, text) in [("token", \Found.token), ("cookies", \Found.cookies)] {
      do throws(CredentialError) {
        found[keyPath: text] = try CredentialFile(path: folder + "/" + name).read()
      } catch {
        found.problem = error
        Log.warning(error.description)
      }
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

  // MARK: Keeping

  /// Keeps a token for the API address, as somebody typed or piped it. `asking`: a locked keyring may ask its owner.
  @discardableResult
  public func keepToken(_ text: String, asking: Bool = false) async throws(CredentialError) -> Keeper {
    let trimmed = text.split(whereSeparator: \.isWhitespace)
    guard trimmed.count == 1, let token = Secret(trimmed[0]) else {
      throw CredentialError(.notAToken, "That is no API token: one word is expected, as the server's settings page shows it.")
    }
    let keeper = try await keep(token.reveal(), "token", api, asking: asking) { [api] text, isHere in
      var tokens = TokenFile.tokens(text ?? "")
      tokens[api.origin] = isHere ? token : nil
      return TokenFile.text(tokens)
    }
    var now = held
    now.token = token
    hold(now)
    return keeper
  }

  /// Keeps what signs us in at the server's host out of a Netscape cookie file, and nothing else of it. Returns their names.
  @discardableResult
  public func importCookies(_ jar: String, asking: Bool = false) async throws(CredentialError) -> [String] {
    let (names, all) = try await cookies(withJar: jar)
    try await keepCookies(all, asking: asking)
    return names
  }

  /// What that file has of ours, by name; and all that signs us in then, with what is kept already.
  public func cookies(withJar jar: String) async throws(CredentialError) -> (names: [String], all: [StoredCookie]) {
    let cookies = cookies(in: jar)
    guard !cookies.isEmpty else {
      throw CredentialError(
        .noCookies, "There is no ipx_session and no CF_Authorization for \(server.host) in that file that is still good.")
    }
    return (cookies.map(\.name), Self.merged(await reload().cookies, cookies))
  }

  /// Takes up `Set-Cookie` lines that came from `host`; other hosts' are nothing to us.
  public func takeUp(_ setCookie: [String], from host: String) async {
    guard host.lowercased() == server.host else { return }
    let cookies = setCookie.compactMap { StoredCookie(setCookie: $0, from: server.host, now: timekeeper.wall()) }
    guard !cookies.isEmpty, Self.merged(held.cookies, cookies) != held.cookies else { return }
    renewed = Self.merged(renewed, cookies)
    guard !isRenewing else { return }
    isRenewing = true
    defer { isRenewing = false }
    while !renewed.isEmpty {
      let cookies = renewed
      renewed = []
      do throws(CredentialError) {
        try await keepCookies(Self.merged(await reload().cookies, cookies))
      } catch {
        problem = error
        Log.warning("What the server renewed could not be kept. \(error)")
        // It still holds for this run.
        var now = held
        now.cookies = Self.merged(now.cookies, cookies)
        hold(now)
      }
    }
  }

  /// Keeps exactly these for the server's host (`cookies(withJar:)`).
  public func keepCookies(_ mine: [StoredCookie], asking: Bool = false) async throws(CredentialError) {
    try await keep(NetscapeJar.text(mine), "cookies", server, asking: asking) { [server] text, isHere in
      // Other servers' cookies stay where they are.
      let others = (text ?? "").split(whereSeparator: \.isNewline).compactMap(NetscapeJar.cookie).filter {
        !$0.covers(server.host)
      }
      return NetscapeJar.text(isHere ? others + mine : others)
    }
    var now = held
    now.cookies = mine
    hold(now)
  }

  /// Into the keyring; where there is none, into the file. `merge` makes that of its former text, with ours in it or without.
  @discardableResult
  private func keep(
    _ text: String, _ kind: String, _ address: ServerAddress, asking: Bool, merge: (String?, _ isHere: Bool) -> String
  ) async throws(CredentialError) -> Keeper {
    defer { readings += 1 }
    // Silent a moment ago: whoever waits has waited for it already.
    var isKept = false
    if let secrets, !isKeyringSilent {
      do throws(CredentialError) {
        try await secrets.keep(
          text, Self.attributes(kind, address), label: "ipodderx-car: \(kind) for \(address.host)", asking: asking)
        isKept = true
      } catch {
        // What went into a file meanwhile would be overruled by the keyring's older one when that is open again.
        if error.code == .locked { throw error }
        Log.info("A file is used instead of the keyring. \(error)")
      }
    }
    let file = CredentialFile(path: folder + "/" + kind)
    if isKept {
      // An older one there would count for more; one that is not used does not.
      let former = (try? file.read()) ?? nil
      if kind == "token" ? token(inFile: former) != nil : !cookies(in: former).isEmpty { try file.write(merge(former, false)) }
      return .secretService
    }
    let former: String?
    do throws(CredentialError) { former = try file.read() } catch {
      // What stands in for a file of ours holds nothing of ours. In one that cannot be read there may be other servers' too.
      guard error.code == .notOurs else { throw error }
      former = nil
    }
    try file.write(merge(former, true))
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

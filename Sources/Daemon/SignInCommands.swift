import CommandLine
import DBus
import Glibc
import HTTP
import IPX
import Reactor
import Settings

extension Command {
  static let token = Command(
    "token", "Takes an API token, from a prompt or standard input, checks it and keeps it.",
    details: """
      Make one on the server's page under Settings, “API tokens”. It is kept in the Secret Service, or in a file that only you can read \
      where there is none, and a running player takes it up at once. It is never taken from the arguments: those are for all to see. \
      One that the server does not know is not kept; where the server cannot be reached it is, and that is said.
      """,
    options: [.init("unchecked", nil, "keep it without asking the server")]
  ) { invocation throws(CommandError) in
    let signIn = try await SignIn()
    let token = try SignIn.token(in: SignIn.readSecret(prompt: "API token for \(signIn.api): "))
    let (isKnown, unknown) =
      invocation.options["unchecked"] != nil
      ? ("", "") : try await signIn.check(APICredentials(bearer: token), "this token", at: signIn.api)
    do throws(CredentialError) {
      let keeper = try await SignIn.byKeyring(invocation.output) { () throws(CredentialError) in
        try await signIn.store.keepToken(token, asking: true)
      }
      invocation.output.line(
        isKnown + (keeper == .file ? "Kept in \(signIn.folder)/token." : "Kept in the Secret Service.") + unknown)
    } catch {
      throw .refused(error.description)
    }
  }

  static let cookies = Command(
    "cookies", takes: "FILE", count: 1...1,
    "Imports a browser's cookies for the server (a Netscape cookie file; - is standard input).",
    details: """
      Only ipx_session and CF_Authorization for the server's own host are kept, and not if the server refuses them. Browsers export such \
      files by an add-on, curl writes them with --cookie-jar.
      """,
    completes: .files
  ) { invocation throws(CommandError) in
    let signIn = try await SignIn()
    let jar = try SignIn.readFile(invocation[0] ?? "-")
    do {
      let (names, cookies) = try await SignIn.byKeyring(invocation.output) {
        try await signIn.store.cookies(withJar: jar)
      }
      let values = Dictionary(cookies.map { ($0.name, $0.value.reveal()) }) { _, later in later }
      let (isKnown, unknown) = try await signIn.check(APICredentials(cookies: values), "these cookies", at: signIn.server)
      try await SignIn.byKeyring(invocation.output) { try await signIn.store.keepCookies(cookies, asking: true) }
      invocation.output.line(isKnown + "Kept \(names.joined(separator: " and ")) for \(signIn.server.host)." + unknown)
    } catch let error as CommandError {
      throw error
    } catch {
      throw .refused("\(error)")
    }
  }
}

/// The addresses and the store that signing in is about.
struct SignIn {
  let server: ServerAddress
  let api: ServerAddress
  let folder: String
  let store: CredentialStore
  private let http: HTTPClient

  /// What is too long to be a token or a jar is neither.
  private static let maximumInput = 1 << 20

  init() async throws(CommandError) {
    let places = Places()
    do throws(SettingsError) {
      let values = try SettingsFile(path: places.settingsFile).load().values
      guard !values["server"].isEmpty else { throw SettingsError(.badValue, "Say where first: `ipodderx-car server URL`.") }
      do throws(ServerAddressError) {
        server = try ServerAddress(parsing: values["server"])
        api = values["api"].isEmpty ? server : try ServerAddress(parsing: values["api"])
      } catch {
        throw SettingsError(.badValue, error.description)
      }
    } catch {
      throw .refused(error.description)
    }
    folder = places.data
    makeFolders(places.data)
    store = CredentialStore(server: server, api: api, folder: places.data, bus: try? await DBusConnection.open(.session))
    http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car/\(CommandTable.version)")
  }

  /// Who one is with these (called `what`), to be said before what becomes of them; or, to be said after it, why that is not known.
  /// - Throws: where the server does not take them, or is none: nothing is to be kept then.
  func check(
    _ credentials: APICredentials, _ what: String, at address: ServerAddress
  ) async throws(CommandError) -> (before: String, after: String) {
    let client = APIClient(
      base: address.description, transport: HTTPTransport(http), credentials: FixedCredentials(credentials))
    do throws(APIError) {
      // Many a server answers any path with some object; ipx says who one is.
      guard let name = try await client.me().name, !name.isEmpty else {
        throw APIError(.refused, "what answers at \(address) is not ipx: it does not say who one is.")
      }
      return ("Signed in at \(address) as \(name). ", "")
    } catch {
      switch error.code {
      case .signedOut: throw .refused("Not kept: \(address) does not know \(what).")
      case .offline: return ("", " Whether \(address) knows \(what) could not be asked: \(error.description)")
      case .refused, .notFound, .tooLarge: throw .refused("Not kept: \(error.description)")
      }
    }
  }

  /// A keyring that is being started, or asks its owner, may take its time: whoever waits is to know for what.
  static func byKeyring<Value, Failure: Error>(
    _ output: Output, _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let alarm = SystemTimekeeper().alarm(after: .seconds(1), leeway: .milliseconds(100), on: .callbacks) {
      output.aside("Waiting for the keyring …")
    }
    defer { alarm.cancel() }
    return try await body()
  }

  /// The one word that was entered. What cannot be a token is not shown to any server.
  static func token(in entered: String) throws(CommandError) -> String {
    let scalars = entered.unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { throw .refused("No token was given.") }
    let token = scalars[first...last]
    guard token.allSatisfy({ (0x21...0x7E).contains($0.value) }) else {
      throw .refused("That is no token: a token is one word of letters, digits and signs.")
    }
    return String(token)
  }

  /// What is on standard input; on a terminal one line, asked for and not shown.
  static func readSecret(prompt: String) throws(CommandError) -> String {
    guard isatty(STDIN_FILENO) == 1 else { return try readAll(STDIN_FILENO) }
    _ = prompt.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    var state = termios()
    tcgetattr(STDIN_FILENO, &state)
    let shown = state
    state.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &state)
    defer {
      var restored = shown
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &restored)
      _ = "\n".withCString { write(STDERR_FILENO, $0, 1) }
    }
    return readLine() ?? ""
  }

  static func readFile(_ path: String) throws(CommandError) -> String {
    if path == "-" { return try readAll(STDIN_FILENO) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .refused("Cannot read \(path.brief): \(String(cString: strerror(errno))).") }
    defer { close(descriptor) }
    return try readAll(descriptor)
  }

  private static func readAll(_ descriptor: Int32) throws(CommandError) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      guard count >= 0 else { throw .refused("Cannot read it: \(String(cString: strerror(errno))).") }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
      guard bytes.count <= maximumInput else { throw .refused("That is more than a megabyte: not what is asked for.") }
    }
  }
}

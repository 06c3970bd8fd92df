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
      where there is none, and a running player takes it up at once. It is never taken from the arguments: those are for all to see.
      """,
    options: [.init("unchecked", nil, "keep it though the server cannot be asked now")]
  ) { invocation throws(CommandError) in
    let signIn = try await SignIn()
    let token = try SignIn.readSecret(prompt: "API token for \(signIn.api): ")
    let isKept =
      invocation.options["unchecked"] != nil ? "" : try await signIn.check(APICredentials(bearer: token), at: signIn.api)
    do throws(CredentialError) {
      let keeper = try await signIn.store.keepToken(token, asking: true)
      invocation.output.line(isKept + (keeper == .file ? "Kept in \(signIn.folder)/token." : "Kept in the Secret Service."))
    } catch {
      throw .refused(error.description)
    }
  }

  static let cookies = Command(
    "cookies", takes: "FILE", count: 1...1,
    "Imports a browser's cookies for the server (a Netscape cookie file; - is standard input).",
    details: """
      Only ipx_session and CF_Authorization for the server's own host are kept. Browsers export such files by an add-on, curl writes \
      them with --cookie-jar.
      """,
    completes: .files
  ) { invocation throws(CommandError) in
    let signIn = try await SignIn()
    let jar = try SignIn.readFile(invocation[0] ?? "-")
    do throws(CredentialError) {
      let names = try await signIn.store.importCookies(jar, asking: true)
      invocation.output.line("Kept \(names.joined(separator: " and ")) for \(signIn.server.host).")
    } catch {
      throw .refused(error.description)
    }
    let cookies = await signIn.store.held.cookies
    let values = Dictionary(cookies.map { ($0.name, $0.value.reveal()) }) { _, later in later }
    invocation.output.line(try await signIn.check(APICredentials(cookies: values), at: signIn.server))
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
    _ = await store.reload()
    http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car/\(CommandTable.version)")
  }

  /// Who one is with these, as a sentence.
  func check(_ credentials: APICredentials, at address: ServerAddress) async throws(CommandError) -> String {
    let client = APIClient(
      base: address.description, transport: HTTPTransport(http), credentials: FixedCredentials(credentials))
    do throws(APIError) {
      let me = try await client.me()
      return "Signed in at \(address)\(me.name.map { " as \($0)" } ?? ""). "
    } catch {
      throw .refused("Not kept: \(error.description)")
    }
  }

  /// One line from standard input; on a terminal asked for, and not shown.
  static func readSecret(prompt: String) throws(CommandError) -> String {
    guard isatty(STDIN_FILENO) == 1 else { return try readAll(STDIN_FILENO).prefix { !$0.isNewline }.description }
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
    guard let line = readLine() else { throw .refused("Nothing was entered.") }
    return line
  }

  static func readFile(_ path: String) throws(CommandError) -> String {
    if path == "-" { return try readAll(STDIN_FILENO) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .refused("Cannot read \(path): \(String(cString: strerror(errno))).") }
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

import CommandLine
import DBus
import EmbeddedServer
import Glibc
import HTTP
import IPX
import Library
import Reactor
import Settings

/// Which server this run is for, and everything that reaches it: the one that is set, the embedded one over the music folder, or none.
struct ServerSetup {
  /// For people; empty where there is none.
  var name = ""
  /// Of its store under `data`.
  var folder: String
  var client: APIClient?
  var credentials: CredentialStore?
  /// Ends when `credentials` was read for the first time.
  var firstRead: Task<Void, Never>?
  /// The API has an address beside the page's; `client` speaks to it where there was a token.
  var addressesDiffer = false
  var usesToken = false
  /// Kept going for as long as we run.
  var embedded: EmbeddedServer?

  init(_ options: RunOptions, places: Places, http: HTTPClient, bus: DBusConnection?) async throws(CommandError) {
    guard let server = try Self.address(options.values, "server") else {
      self = Self.overMusicFolder(places, http: http)
      return
    }
    let api = try Self.address(options.values, "api") ?? server
    let store = CredentialStore(server: server, api: api, folder: places.data, bus: bus)
    let firstRead = Task { _ = await store.reload() }
    name = server.description
    folder = LibraryOptions.folder(data: places.data, server: server.description)
    credentials = store
    self.firstRead = firstRead
    // The token belongs to the API's address, cookies to the page's. Where both are one, nothing waits for the keyring.
    var base = server
    if api.description != server.description {
      await firstRead.value
      addressesDiffer = true
      usesToken = await store.held.token != nil
      if usesToken { base = api }
    }
    client = APIClient(
      base: base.description, transport: HTTPTransport(http),
      credentials: StoredCredentials(store: store, firstRead: firstRead))
  }

  private init(folder: String) { self.folder = folder }

  /// `Podcasts` in the XDG music folder, where there is one.
  private static func overMusicFolder(_ places: Places, http: HTTPClient) -> ServerSetup {
    var setup = ServerSetup(folder: LibraryOptions.folder(data: places.data, server: ""))
    guard access(places.podcasts, R_OK | X_OK) == 0 else { return setup }
    do {
      let server = try EmbeddedServer(EmbeddedServerOptions(folder: places.podcasts))
      let port = try server.start()
      setup.embedded = server
      setup.name = places.podcasts
      setup.folder = LibraryOptions.folder(data: places.data, server: "local")
      setup.client = APIClient(
        base: "http://127.0.0.1:\(port)", transport: HTTPTransport(http), credentials: FixedCredentials())
    } catch {
      Log.warning("The folder \(places.podcasts) cannot be served: \(error)")
    }
    return setup
  }

  private static func address(_ values: SettingsValues, _ name: String) throws(CommandError) -> ServerAddress? {
    guard !values[name].isEmpty else { return nil }
    do {
      return try ServerAddress(parsing: values[name])
    } catch {
      throw .refused("The setting “\(name)”: \(error.description)")
    }
  }
}

import CommandLine
import DBus
import HTTP
import IPX
import Library
import Reactor
import Settings

/// One server with its library: what is exchanged when another one is chosen.
struct ServerSeat: Sendable {
  let setup: ServerSetup
  let library: Library

  /// - Parameter counterAbove: what the library before counted to; nobody may take an old list for a new one.
  init(
    _ setup: ServerSetup, _ options: RunOptions, places: Places, http: HTTPClient, timekeeper: any Timekeeper,
    counterAbove: UInt32 = 0
  ) {
    self.setup = setup
    library = Library(
      LibraryOptions(
        server: setup.name, client: setup.client, media: HTTPMedia(http, timekeeper: timekeeper), folder: setup.folder,
        artFolder: places.cache + "/art", settings: options.values, timekeeper: timekeeper, network: .shared,
        counterAbove: counterAbove))
  }

  init(
    _ options: RunOptions, places: Places, http: HTTPClient, bus: DBusConnection?, timekeeper: any Timekeeper
  ) async throws(CommandError) {
    self.init(
      try await ServerSetup(options, places: places, http: http, bus: bus), options, places: places, http: http,
      timekeeper: timekeeper)
  }

  /// Each request takes what the store holds by itself, renewed cookies too; only who signs in anew is to be heard of.
  /// - Returns: true where a token came or went and has an address of its own: everything is to be put together for that one. False when
  ///   cancelled.
  func followCredentials() async -> Bool {
    guard let credentials = setup.credentials else { return false }
    await setup.firstRead?.value
    let changes = credentials.changes.subscribe()
    var token = await credentials.held.token
    await credentials.watch()
    // What came before the watch stood.
    await credentials.reload()
    for await held in changes {
      if setup.addressesDiffer, (held.token != nil) != setup.usesToken { return true }
      let isOtherToken = held.token != token
      token = held.token
      let state = await library.summary.state
      if isOtherToken || state == .signedOut { await library.credentialsChanged() }
    }
    return false
  }

  func close() async {
    await library.close()
    setup.embedded?.stop()
  }
}

import CommandLine
import DBus
import HTTP
import IPX
import Reactor
import Settings

/// The server that is set, asked by the doctor itself: what it does where no player runs that could tell.
enum DoctorServer {
  /// - Parameter address: the one that the player has, which may be for this run only; nil: the one that is set.
  static func finding(at address: String? = nil) async -> Doctor.Finding {
    do throws(CommandError) {
      let places = Places()
      let values: SettingsValues
      do { values = try SettingsFile(path: places.settingsFile).load().values } catch { throw .refused(error.description) }
      guard address != nil || !values["server"].isEmpty else {
        return .init(what: "Server", state: .bad, sentence: "none is set; `ipodderx-car server URL`.")
      }
      do {
        let server = try ServerAddress(parsing: address ?? values["server"])
        // The API's address that is set is that of the server that is set.
        let isSet = (try? ServerAddress(parsing: values["server"])) == server
        let api = isSet && !values["api"].isEmpty ? try ServerAddress(parsing: values["api"]) : server
        return await ask(server, api, places)
      } catch {
        throw .refused(error.description)
      }
    } catch {
      return .init(what: "Server", state: .bad, sentence: error.description)
    }
  }

  /// Is it there, is it ipx, does it know us?
  private static func ask(_ server: ServerAddress, _ api: ServerAddress, _ places: Places) async -> Doctor.Finding {
    let bus = try? await DBusConnection.open(.session)
    let store = CredentialStore(server: server, api: api, folder: places.data, bus: bus)
    // As the player does: the token belongs to the API's address, cookies to the page's.
    let base = await store.reload().token == nil ? server : api
    let http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car/\(CommandTable.version)")
    let client = APIClient(
      base: base.description, transport: HTTPTransport(http),
      credentials: StoredCredentials(store: store, firstRead: Task {}))
    do throws(APIError) {
      var me: IPXMe?
      do throws(APIError) { me = try await client.me() } catch {
        // A server may have no such thing; its list of podcasts it must have.
        guard error.code == .notFound || error.code == .refused else { throw error }
      }
      let feeds = try await client.feeds().feeds.count
      let who = me?.name.map { " as \($0)" } ?? ""
      return .init(
        what: "Server", state: .good, sentence: "\(server) is reachable and signed in\(who); \(feeds) podcasts.")
    } catch {
      let sentence =
        error.code == .signedOut
        ? "\(server): sign in again (`ipodderx-car token` or `ipodderx-car cookies FILE`)."
        : "\(server) is off line: \(error.description)"
      return .init(what: "Server", state: .bad, sentence: sentence)
    }
  }
}

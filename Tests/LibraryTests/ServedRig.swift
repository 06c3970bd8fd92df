import EmbeddedServer
import Glibc
import HTTP
import IPX
import Reactor
import Settings
import TestKit

@testable import Library

/// A library over the embedded server and libcurl: everything real but the media.
final class ServedRig {
  let folder = TemporaryFolder()
  let server: EmbeddedServer
  let port: UInt16
  let http = HTTPClient(timekeeper: SystemTimekeeper(), userAgent: "ipodderx-car-tests")

  init(feeds: Int, entries: Int, token: String? = nil) throws {
    var options = EmbeddedServerOptions()
    options.token = token
    server = EmbeddedServer(options, library: SeededLibrary(feeds: feeds, entries: entries))
    port = try server.start()
  }

  deinit { server.stop() }

  func library(_ name: String = "one", credentials: any CredentialProvider = FixedCredentials()) -> Library {
    let address = "http://127.0.0.1:\(port)"
    return Library(
      LibraryOptions(
        server: address, client: APIClient(base: address, transport: HTTPTransport(http), credentials: credentials),
        media: FakeMedia(), folder: folder.file(name), artFolder: folder.file("art"), settings: SettingsValues()))
  }

  /// CPU seconds of this process so far.
  static var cpu: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

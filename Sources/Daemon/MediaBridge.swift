import HTTP
import IPX
import Library
import Media
import Reactor

/// The media module as the library uses it, with the credentials of the one server that may see them.
struct MediaBridge: MediaAccess {
  let http: HTTPClient
  let timekeeper: any Timekeeper
  /// Nil where the server wants none.
  let credentials: (any CredentialProvider)?

  func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource {
    HTTPByteSource(url: url, client: http, timekeeper: timekeeper, credentials: source(for: client))
  }

  func file(_ path: String) throws(LibraryError) -> any ByteSource {
    do {
      return try FileByteSource(path: path)
    } catch {
      throw LibraryError(.notPlayable, error.description)
    }
  }

  func fetch(
    url: String, client: APIClient, to path: String, progress: @escaping @Sendable (_ held: Int64, _ total: Int64?) -> Void
  ) async throws(KeepError) -> Int64 {
    throw KeepError(.refused, "Keeping is not built in yet.")
  }

  /// For the API's own origin only, whatever address the file has.
  private func source(for client: APIClient) -> HTTPByteSource.CredentialSource? {
    guard let credentials, let origin = HTTPOrigin(client.base) else { return nil }
    return { afterRefusal in
      let held = afterRefusal ? await credentials.reload() : await credentials.credentials()
      return held.isEmpty ? nil : held.http(origin: origin)
    }
  }
}

import HTTP
import IPX
import Media
import Reactor

/// `MediaAccess` over libcurl and the disk.
public struct HTTPMedia: MediaAccess {
  let http: HTTPClient
  let timekeeper: any Timekeeper

  public init(_ http: HTTPClient, timekeeper: any Timekeeper = SystemTimekeeper()) {
    self.http = http
    self.timekeeper = timekeeper
  }

  public func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource {
    HTTPByteSource(url: url, client: http, timekeeper: timekeeper, credentials: Self.credentials(url, client))
  }

  public func file(_ path: String) throws(LibraryError) -> any ByteSource {
    do {
      return try FileByteSource(path: path)
    } catch {
      throw LibraryError(.notFound, error.description)
    }
  }

  public func fetch(
    url: String, client: APIClient, to path: String, progress: @escaping @Sendable (Int64, Int64?) -> Void
  ) async throws(KeepError) -> Int64 {
    let fetch = FileFetch(url: url, path: path, http: http, credentials: Self.credentials(url, client), progress: progress)
    return try await fetch.run()
  }

  /// Ours go to the server's own origin only; a file elsewhere gets none.
  private static func credentials(_ url: String, _ client: APIClient) -> HTTPByteSource.CredentialSource? {
    guard let origin = HTTPOrigin(url), origin == HTTPOrigin(client.base) else { return nil }
    return { afterRefusal in
      let found = afterRefusal ? await client.reloadedCredentials() : await client.currentCredentials()
      return found.isEmpty ? nil : found.http(origin: origin)
    }
  }
}

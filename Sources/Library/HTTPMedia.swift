import HTTP
import IPX
import Media
import Reactor

/// `MediaAccess` over libcurl and the disk.
public final class HTTPMedia: MediaAccess {
  private let http: HTTPClient
  private let timekeeper: any Timekeeper
  private let downloads: Download.Options
  private let sharing = SharedBytes()

  public init(
    _ http: HTTPClient, timekeeper: any Timekeeper = SystemTimekeeper(), downloads: Download.Options = Download.Options()
  ) {
    self.http = http
    self.timekeeper = timekeeper
    self.downloads = downloads
  }

  public func remote(url: String, client: APIClient, bytes: Int64?) async -> any ByteSource {
    let source = HTTPByteSource(url: url, client: http, timekeeper: timekeeper, credentials: Self.credentials(url, client))
    sharing.plays(source)
    return source
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
    let credentials = Self.credentials(url, client)
    let download = Download(
      url: url, to: path, client: http, timekeeper: timekeeper, credentials: credentials, options: downloads, sharing: sharing,
      progress: progress)
    do {
      return try await download.run()
    } catch {
      throw KeepError(error, isOurServer: credentials != nil)
    }
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

extension KeepError {
  /// - Parameter isOurServer: a sign-in elsewhere says nothing of ours.
  fileprivate init(_ error: DownloadError, isOurServer: Bool) {
    switch error.code {
    case .offline: self.init(.offline, error.description)
    case .signedOut where isOurServer: self.init(.signedOut, error.description)
    case .signedOut: self.init(.refused, "The file lies elsewhere, and wants a sign-in of its own there.")
    case .gone, .notMedia, .tooLarge: self.init(.refused, error.description)
    case .diskFull, .notWritable: self.init(.diskFull, error.description)
    case .cancelled: self.init(.cancelled, error.description)
    }
  }
}

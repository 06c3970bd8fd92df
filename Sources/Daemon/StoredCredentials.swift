import IPX

/// What `CredentialStore` holds, as `IPX` sends it: with a token nothing else, without one the page's cookies.
struct StoredCredentials: CredentialProvider {
  let store: CredentialStore
  /// The first reading; a keyring may have to be started for it, and nothing but requests waits for that.
  let firstRead: Task<Void, Never>

  func credentials() async -> APICredentials {
    await firstRead.value
    return Self.translate(await store.held)
  }

  func reload() async -> APICredentials { Self.translate(await store.reload()) }
  func takeUp(_ setCookie: [String], from host: String) async { await store.takeUp(setCookie, from: host) }

  private static func translate(_ held: CredentialStore.Held) -> APICredentials {
    if let token = held.token { return APICredentials(bearer: token.reveal()) }
    return APICredentials(cookies: Dictionary(held.cookies.map { ($0.name, $0.value.reveal()) }) { _, later in later })
  }
}

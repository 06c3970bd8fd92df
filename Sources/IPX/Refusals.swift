import Synchronization

/// Which credentials the server has refused since its last good answer: trying the very same ones twice each time would double what a server
/// counts as failed sign-ins (field rule 86).
final class Refusals: Sendable {
  private let refused = Mutex<APICredentials?>(nil)

  /// - Returns: whether these had been refused before.
  func note(_ credentials: APICredentials) -> Bool {
    refused.withLock { refused in
      defer { refused = credentials }
      return refused == credentials
    }
  }

  func forget() { refused.withLock { $0 = nil } }
}

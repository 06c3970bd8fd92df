/// What proves who we are. Never in a log, an error or an address.
public struct APICredentials: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var bearer: String?
  public var cookies: [String: String]

  public init(bearer: String? = nil, cookies: [String: String] = [:]) {
    self.bearer = bearer
    self.cookies = cookies
  }

  public var isEmpty: Bool { bearer == nil && cookies.isEmpty }
  public var description: String { isEmpty ? "no credentials" : "credentials" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where credentials are kept (the Secret Service, or files).
public protocol CredentialProvider: Sendable {
  /// As last read.
  func credentials() async -> APICredentials
  /// Read again: somebody may have signed in meanwhile.
  func reload() async -> APICredentials
  /// `Set-Cookie` lines that came from `host`.
  func takeUp(_ setCookie: [String], from host: String) async
}

extension CredentialProvider {
  public func takeUp(_ setCookie: [String], from host: String) async {}
}

/// The same for ever: for a server that wants none, and for tests.
public struct FixedCredentials: CredentialProvider {
  private let value: APICredentials

  public init(_ value: APICredentials = APICredentials()) {
    self.value = value
  }

  public func credentials() async -> APICredentials { value }
  public func reload() async -> APICredentials { value }
}

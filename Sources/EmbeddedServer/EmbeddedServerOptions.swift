/// How an `EmbeddedServer` is to serve. Everything has a default but what to serve.
public struct EmbeddedServerOptions: Sendable {
  /// The folder whose sub-folders of audio are the feeds. Nil with `demo`, or where a library is given.
  public var folder: String?
  /// The port on 127.0.0.1; 0 takes any free one.
  public var port: UInt16 = 0
  /// Whether ::1 is served too, on the same port, where the machine has it.
  public var ipv6 = false
  /// What an `Authorization: Bearer` header must carry. With neither this nor `sessionCookie`, everybody is let in.
  public var token: String?
  /// What the cookie `ipx_session` must carry.
  public var sessionCookie: String?
  /// How a caller who is not signed in is answered.
  public var refusal = Refusal.unauthorized
  /// Whether `/api/events` is answered 404, as an API address that only takes tokens does.
  public var refusesEvents = false
  /// Whether the bundled library is served.
  public var demo = false
  /// Where positions and read flags are kept; nil: `.ipodderx` in the folder, or the user's cache for `demo`.
  public var stateFolder: String?
  /// Seconds after which an idle connection is closed; 0: never.
  public var idleTimeout: UInt32 = 300
  /// Whether `GET /debug/counters` tells requests and bytes by path.
  public var counters = false

  public enum Refusal: Sendable, Hashable {
    /// 401 with a JSON error.
    case unauthorized
    /// 302 to this address, as Cloudflare Access does with an expired cookie.
    case redirect(String)
  }

  public init(folder: String? = nil) {
    self.folder = folder
  }
}

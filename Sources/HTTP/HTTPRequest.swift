/// One question. Redirects are followed by our own rules: see `RedirectPlan`.
public struct HTTPRequest: Sendable {
  public var method: String
  /// Trimmed and encoded where needed before it is used; a user and password in it go to that origin only.
  public var url: String
  public var headers: [(String, String)]
  public var body: [UInt8]?
  /// Sent to their own origin only, and never again once a redirect has left it.
  public var credentials: HTTPCredentials?
  /// Bytes asked for, both ends included (RFC 9110, 14.1.2).
  public var range: (from: Int64, through: Int64?)?
  /// The validator that `range` holds for: another file is then sent whole.
  public var ifRange: String?
  public var connectTimeout: Duration
  /// Nothing came for so long: `.timeout`. Not counted while the receiver pauses. Nil: no limit.
  public var idleTimeout: Duration?
  public var totalTimeout: Duration?
  public var maximumRedirects: Int
  /// A redirect to another host is not followed but given as the answer: where it leads is what the caller wants to know.
  public var staysOnHost = false
  /// For `send` only: a longer body ends in `.tooLarge`.
  public var maximumBody: Int
  /// What can wait: marked as lower effort for the queues on the way.
  public var lowPriority: Bool
  /// Media: asks for no compression, and keeps little in the kernel while the reader pauses.
  public var isMedia: Bool
  /// The body is given as it comes, whatever its head says of how it is packed.
  public var takesAsIs = false
  /// Do not reuse an idle connection: the last one died, or the network is another one now.
  public var freshConnection: Bool

  public init(
    _ method: String = "GET", url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    credentials: HTTPCredentials? = nil, range: (from: Int64, through: Int64?)? = nil, ifRange: String? = nil,
    connectTimeout: Duration = .seconds(10), idleTimeout: Duration? = .seconds(20), totalTimeout: Duration? = nil,
    maximumRedirects: Int = 10, maximumBody: Int = 16 << 20, lowPriority: Bool = false, isMedia: Bool = false,
    freshConnection: Bool = false
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.credentials = credentials
    self.range = range
    self.ifRange = ifRange
    self.connectTimeout = connectTimeout
    self.idleTimeout = idleTimeout
    self.totalTimeout = totalTimeout
    self.maximumRedirects = maximumRedirects
    self.maximumBody = maximumBody
    self.lowPriority = lowPriority
    self.isMedia = isMedia
    self.freshConnection = freshConnection
  }
}

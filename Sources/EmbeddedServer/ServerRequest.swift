/// A request as it came, before anything is believed of it.
struct ServerRequest: Sendable {
  var method: String
  /// Percent-decoded, without the query.
  var path: String
  var query: [String: String] = [:]
  /// By lower-case name.
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  /// The path's parts; empty ones stay, so that `//media/4` is not `/media/4`.
  var parts: [String] { path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init) }
}

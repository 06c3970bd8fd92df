import DBus

/// What stands where a list has nothing in it, and why.
enum EmptyList {
  static func sentence(_ daemon: DaemonClient) async throws(CommandError) -> String {
    sentence(
      library: try await daemon.properties(DaemonClient.library),
      problem: try await daemon.properties(DaemonClient.player)["Problem"]?.asString ?? "")
  }

  /// - Parameter library: the properties of `Library1`.
  static func sentence(library: [String: DBusValue], problem: String) -> String {
    if library["State"]?.asString != "online", !problem.isEmpty { return "Nothing here. " + problem }
    return isSynced(library) ? "Nothing here." : "Nothing here yet: the server is being asked for what it has."
  }

  /// False from the first start until the server has told all it has.
  static func isSynced(_ library: [String: DBusValue]) -> Bool {
    library["Synced"]?.asInt64 != 0 || !["online", "offline"].contains(library["State"]?.asString)
  }
}

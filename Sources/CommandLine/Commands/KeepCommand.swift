import DBus

extension Command {
  static let keep = Command(
    "keep", takes: "ID", count: 1...1, "Keeps an episode, or the next ones of a feed, here, to play without the server.",
    details: """
      With --wait it stays, shows how far it is, and ends when every file is whole or cannot be had. While the server is away it says so \
      and waits on.
      """,
    options: [Option("wait", nil, "until it is kept")], completes: .items
  ) { invocation throws(CommandError) in
    let id = invocation[0] ?? ""
    let daemon = try await DaemonClient.connect()
    guard invocation.options["wait"] != nil else {
      try await daemon.library("Keep", .string(id))
      return
    }
    // Listen before asking, or a quick one is missed.
    let news = try await daemon.news()
    let server = try await daemon.properties(DaemonClient.library)
    try await daemon.library("Keep", .string(id))
    var wait = KeepWait(try await beingKept(id, daemon))
    var toldOf = "online"
    var next = news.makeAsyncIterator()
    if !wait.isOver { tell(of: server, invocation.output, &toldOf) }
    while !wait.isOver, let message = await next.next() {
      switch message.member {
      case "ItemChanged":
        guard wait.take(ListedItem(message.arguments.last ?? .boolean(false))) else { continue }
        if let width = invocation.output.terminalWidth {
          let fraction = wait.fraction
          let bar = Terminal.bar(fraction, width: max(0, min(60, width - 8)))
          invocation.output.raw("\r" + bar + " \(Int(fraction * 100)) %\u{1b}[K")
        }
      case "PropertiesChanged": tell(of: try await daemon.properties(DaemonClient.library), invocation.output, &toldOf)
      default: break
      }
    }
    if wait.hasShown, invocation.output.terminalWidth != nil { invocation.output.raw("\n") }
    guard wait.isOver else { throw .refused("The player has ended; what is not here yet it keeps when it runs again.") }
    guard let failed = wait.failures.first else { return }
    let reason = ListedItem(try await daemon.library("GetItem", .string(failed)).first ?? .boolean(false)).keptProblem
    throw .refused(wait.problem(because: reason))
  }

  /// What waits or is fetched of an episode or feed, as far as it is not here yet.
  private static func beingKept(_ id: String, _ daemon: DaemonClient) async throws(CommandError) -> [ListedItem] {
    let item = ListedItem(try await daemon.library("GetItem", .string(id)).first ?? .boolean(false))
    guard item.isFeed else { return [item] }
    var found: [ListedItem] = []
    var offset: UInt32 = 0
    // The list of what is kept: a feed's own shows what its view says.
    while true {
      let answer = try await daemon.library("ListChildren", .string("kept"), .uint32(offset), .uint32(1000))
      let page = (answer.first?.asArray ?? []).map(ListedItem.init)
      found += page.filter { $0.values["feed"]?.asString == id }
      offset += UInt32(page.count)
      guard !page.isEmpty, offset < answer.dropFirst().first?.asUInt32 ?? 0 else { return found }
    }
  }

  /// One line whenever the server goes away: what waits for it is kept when it is back.
  private static func tell(of library: [String: DBusValue], _ output: Output, _ told: inout String) {
    guard let state = library["State"]?.asString, state != told else { return }
    told = state
    let server = library["Server"]?.asString ?? "the server"
    switch state {
    case "offline": output.aside("Waiting: \(server) cannot be reached; it goes on by itself when it can.")
    case "signed-out": output.aside("Waiting: \(server) wants a new sign-in (`ipodderx-car token`).")
    default: break
    }
  }
}

/// The episodes that `keep --wait` waits for, and how they fare.
struct KeepWait {
  private var fractions: [String: Double] = [:]
  private var count = 0
  /// What could not be kept.
  private(set) var failures: [String] = []
  /// Whether anything was told of them since.
  private(set) var hasShown = false

  init(_ items: [ListedItem]) {
    for item in items {
      switch item.kept {
      case "queued", "keeping":
        fractions[item.id] = item.keptFraction ?? 0
        count += 1
      case "failed", "no":
        count += 1
        failures.append(item.id)
      default: break
      }
    }
  }

  var isOver: Bool { fractions.isEmpty }

  /// Of all that it began with.
  var fraction: Double {
    guard count > 0 else { return 1 }
    return min(1, max(0, (Double(count - fractions.count) + fractions.values.reduce(0, +)) / Double(count)))
  }

  /// False: it is not about one of these.
  mutating func take(_ item: ListedItem) -> Bool {
    guard fractions[item.id] != nil, let state = item.values["kept"]?.asString else { return false }
    hasShown = true
    switch state {
    case "kept": fractions[item.id] = nil
    case "failed", "no":
      fractions[item.id] = nil
      failures.append(item.id)
    default: fractions[item.id] = item.keptFraction ?? fractions[item.id]
    }
    return true
  }

  /// - Parameter reason: of the first of them.
  func problem(because reason: String?) -> String {
    let what = count == 1 ? "It" : "\(failures.count) of \(count)"
    return "\(what) could not be kept" + (reason.map { ": \($0)" } ?? "; the player's log says why.")
  }
}

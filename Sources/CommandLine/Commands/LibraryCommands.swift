import DBus
import Reactor

extension Command {
  static let library: [Command] = [
    Command(
      "list", takes: "[ID]", count: 0...1, "Lists what is in ID, or the root of the library.",
      details: "Lists come from the player's own store, so they are there without the server too.",
      options: pageOptions, completes: .items, printsData: true
    ) { invocation throws(CommandError) in
      let page = try pageBounds(invocation)
      let daemon = try await DaemonClient.connect()
      let answer = try await daemon.library(
        "ListChildren", .string(invocation[0] ?? "root"), .uint32(page.offset), .uint32(page.limit))
      try await print(answer, at: page.offset, of: daemon, to: invocation.output)
    },
    Command(
      "search", takes: "TEXT", count: 1...100, "Finds episodes and shows by title, show and notes.",
      options: pageOptions, printsData: true
    ) { invocation throws(CommandError) in
      let page = try pageBounds(invocation)
      let daemon = try await DaemonClient.connect()
      let answer = try await daemon.library(
        "Search", .string(invocation.arguments.joined(separator: " ")), .uint32(page.offset), .uint32(page.limit))
      try await print(answer, at: page.offset, of: daemon, to: invocation.output)
    },
    Command(
      "info", takes: "ID", count: 1...1, "Shows one item with its notes and files.", completes: .items, printsData: true
    ) { invocation throws(CommandError) in
      let item = try await DaemonClient.connect().library("GetItem", .string(invocation[0] ?? "")).first ?? .boolean(false)
      invocation.output.json(JSON(item))
      let listed = ListedItem(item)
      invocation.output.line(listed.line(width: invocation.output.terminalWidth))
      if let problem = listed.keptProblem { invocation.output.line("! Not kept: " + problem) }
      if let notes = listed.values["notes"]?.asString {
        invocation.output.line()
        for line in notes.split(separator: "\n", omittingEmptySubsequences: false) {
          invocation.output.line(line.printable)
        }
      }
      let files = (listed.values["files"]?.asArray ?? []).map(ListedItem.file)
      let link = listed.values["link"]?.asString.map { [$0.printable] } ?? []
      if !(files + link).isEmpty { invocation.output.line() }
      for line in files + link { invocation.output.line(line) }
    },
    flag("read", "SetRead", true, "Marks an episode, or all of a feed, as heard."),
    flag("unread", "SetRead", false, "Marks an episode, or all of a feed, as unheard."),
    flag("star", "SetStarred", true, "Stars an episode."),
    flag("unstar", "SetStarred", false, "Takes the star away."),
    Command(
      "view", takes: "ID FILTER [ORDER]", count: 2...3, "What a feed (or root: all) shows, and what comes first.",
      details: "FILTER is all, unheard, started, starred or kept; ORDER newest or oldest. An empty word: as the whole.",
      completes: .items
    ) { invocation throws(CommandError) in
      try await DaemonClient.connect().library(
        "SetView", .string(invocation[0] ?? ""), .string(invocation[1] ?? ""), .string(invocation[2] ?? ""))
    },
    keep,
    Command(
      "unkeep", takes: "ID", count: 1...1, "Throws away the kept file of an episode; with `all` every one.", completes: .items
    ) { invocation throws(CommandError) in
      let daemon = try await DaemonClient.connect()
      if invocation[0] == "all" {
        try await daemon.library("ClearKept")
      } else {
        try await daemon.library("Unkeep", .string(invocation[0] ?? ""))
      }
    },
    Command("refresh", "Asks the server for what is new, now; ends when it has answered.") { _ throws(CommandError) in
      try await DaemonClient.connect().library("Refresh")
    },
  ]

  private static let pageOptions = [
    Option("offset", "N", "start at the N-th"), Option("limit", "N", "at most N of them (100)"),
  ]

  private static func pageBounds(_ invocation: Invocation) throws(CommandError) -> (offset: UInt32, limit: UInt32) {
    let offset = try invocation.number("offset", in: 0...Int(Int32.max)) ?? 0
    let limit = try invocation.number("limit", in: 1...10_000) ?? 100
    return (UInt32(offset), UInt32(limit))
  }

  private static func print(
    _ answer: [DBusValue], at offset: UInt32, of daemon: DaemonClient, to output: Output
  ) async throws(CommandError) {
    guard case .array(_, let items)? = answer.first else { return }
    let total = (answer.count > 1 ? answer[1].asUInt32 : nil) ?? UInt32(items.count)
    output.json(.object(["items": .array(items.map(JSON.init)), "total": .uint(UInt64(total)), "offset": .uint(UInt64(offset))]))
    for item in items { output.line(ListedItem(item).line(width: output.terminalWidth)) }
    if items.isEmpty { output.line(total > 0 ? "There are only \(total)." : try await EmptyList.sentence(daemon)) }
    let end = UInt64(offset) + UInt64(items.count)
    if end < total, !items.isEmpty { output.line("… \(UInt64(total) - end) more: --offset \(end)") }
  }

  private static func flag(_ name: String, _ method: String, _ value: Bool, _ summary: String) -> Command {
    Command(name, takes: "ID", count: 1...1, summary, completes: .items) { invocation throws(CommandError) in
      try await DaemonClient.connect().library(method, .string(invocation[0] ?? ""), .boolean(value))
    }
  }
}

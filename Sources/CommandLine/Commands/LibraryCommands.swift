import DBus

extension Command {
  static let library: [Command] = [
    Command(
      "list", takes: "[ID]", count: 0...1, "Lists what is in ID, or the root of the library.",
      details: "Lists come from the player's own store, so they are there without the server too.",
      options: pageOptions, completes: .items, printsData: true
    ) { invocation throws(CommandError) in
      let page = try pageBounds(invocation)
      let answer = try await DaemonClient.connect().library(
        "ListChildren", .string(invocation[0] ?? "root"), .uint32(page.offset), .uint32(page.limit))
      print(answer, at: page.offset, to: invocation.output)
    },
    Command(
      "search", takes: "TEXT", count: 1...100, "Finds episodes and shows by title, show and notes.",
      options: pageOptions, printsData: true
    ) { invocation throws(CommandError) in
      let page = try pageBounds(invocation)
      let answer = try await DaemonClient.connect().library(
        "Search", .string(invocation.arguments.joined(separator: " ")), .uint32(page.offset), .uint32(page.limit))
      print(answer, at: page.offset, to: invocation.output)
    },
    Command(
      "info", takes: "ID", count: 1...1, "Shows one item with its notes and files.", completes: .items, printsData: true
    ) { invocation throws(CommandError) in
      let item = try await DaemonClient.connect().library("GetItem", .string(invocation[0] ?? "")).first ?? .boolean(false)
      invocation.output.json(JSON(item))
      let listed = ListedItem(item)
      invocation.output.line(listed.line(width: invocation.output.terminalWidth))
      if let notes = listed.values["notes"]?.asString { invocation.output.line("\n" + notes) }
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
    Command("unkeep", takes: "ID", count: 1...1, "Throws away the kept file of an episode.", completes: .items) {
      invocation throws(CommandError) in
      let daemon = try await DaemonClient.connect()
      if invocation[0] == "all" {
        try await daemon.library("ClearKept")
      } else {
        try await daemon.library("Unkeep", .string(invocation[0] ?? ""))
      }
    },
    Command("refresh", "Asks the server for what is new, now.") { _ throws(CommandError) in
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

  private static func print(_ answer: [DBusValue], at offset: UInt32, to output: Output) {
    guard case .array(_, let items)? = answer.first else { return }
    let total = (answer.count > 1 ? answer[1].asUInt32 : nil) ?? UInt32(items.count)
    output.json(.object(["items": .array(items.map(JSON.init)), "total": .uint(UInt64(total)), "offset": .uint(UInt64(offset))]))
    for item in items { output.line(ListedItem(item).line(width: output.terminalWidth)) }
    if items.isEmpty { output.line("Nothing here.") }
    let end = UInt64(offset) + UInt64(items.count)
    if end < total, !items.isEmpty { output.line("… \(UInt64(total) - end) more: --offset \(end)") }
  }

  private static func flag(_ name: String, _ method: String, _ value: Bool, _ summary: String) -> Command {
    Command(name, takes: "ID", count: 1...1, summary, completes: .items) { invocation throws(CommandError) in
      try await DaemonClient.connect().library(method, .string(invocation[0] ?? ""), .boolean(value))
    }
  }

  private static let keep = Command(
    "keep", takes: "ID", count: 1...1, "Keeps an episode here, to play without the server.",
    details: "With --wait it stays, shows how far it is, and ends when the file is whole or cannot be had.",
    options: [Option("wait", nil, "until it is kept")], completes: .items
  ) { invocation throws(CommandError) in
    let id = invocation[0] ?? ""
    let daemon = try await DaemonClient.connect()
    // Listen before asking, or a quick one is missed.
    let changes: AsyncStream<DBusMessage>
    do throws(DBusError) {
      changes = try await daemon.connection.signals(
        sender: daemon.name, path: DaemonClient.ownPath, interface: DaemonClient.library, member: "ItemChanged", arg0: id)
    } catch {
      throw .refused(error.description)
    }
    try await daemon.library("Keep", .string(id))
    guard invocation.options["wait"] != nil else { return }
    let now = ListedItem(try await daemon.library("GetItem", .string(id)).first ?? .boolean(false))
    if now.kept == "kept" { return }
    for await change in changes {
      let item = ListedItem(change.arguments.last ?? .boolean(false))
      if let fraction = item.keptFraction, let width = invocation.output.terminalWidth {
        invocation.output.raw("\r" + Terminal.bar(fraction, width: min(60, width - 8)) + " \(Int(fraction * 100)) %")
      }
      guard let state = item.values["kept"]?.asString else { continue }
      if state == "kept" || state == "failed", invocation.output.terminalWidth != nil { invocation.output.raw("\n") }
      if state == "kept" { return }
      if state == "failed" || state == "no" {
        throw .refused("It could not be kept; `ipodderx-car status` and the player's log say why.")
      }
    }
  }
}

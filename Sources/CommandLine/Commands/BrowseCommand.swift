import DBus
import Glibc
import Reactor

extension Command {
  static let browse = Command(
    "browse", takes: "[ID]", count: 0...1,
    "Walks through the library with the arrow keys; prints the list where there is no terminal.",
    details: """
      Up, Down, Page Up and Page Down move; Right or Enter enters a folder or plays an episode; Left goes back; Space plays; k keeps; \
      r marks as heard or unheard; s stars; / searches while you type; q ends.
      """,
    completes: .items
  ) { invocation throws(CommandError) in
    let daemon = try await DaemonClient.connect()
    let id = invocation[0] ?? "root"
    guard let keys = TerminalKeys() else {
      let answer = try await daemon.library("ListChildren", .string(id), .uint32(0), .uint32(1000))
      guard case .array(_, let items)? = answer.first else { return }
      for item in items { invocation.output.line(ListedItem(item).line(width: nil)) }
      if items.isEmpty { invocation.output.line(try await EmptyList.sentence(daemon)) }
      return
    }
    let title =
      id == "root" ? "ipodderx" : ListedItem(try await daemon.library("GetItem", .string(id)).first ?? .boolean(false)).title
    var browser = Browser(daemon: daemon, output: invocation.output, root: BrowsedList(id: id, title: title))
    try await browser.run(keys)
  }
}

/// The interactive list: a stack of lists, one row chosen, rows fetched by the page.
struct Browser {
  private let daemon: DaemonClient
  private let output: Output
  private var lists: [BrowsedList]
  private var typed: String?
  private var message = ""
  /// What the key before this marked as heard: it may have left the list by that, and the same key takes it back.
  private var marked: ListedItem?

  init(daemon: DaemonClient, output: Output, root: BrowsedList) {
    self.daemon = daemon
    self.output = output
    lists = [root]
  }

  private enum Input: Sendable {
    case key(TerminalKey)
    /// Something in the library is another now.
    case change
    /// The terminal has another size.
    case resize
    /// The player has ended, or the bus.
    case gone
    case end
  }

  mutating func run(_ keys: TerminalKeys) async throws(CommandError) {
    let changes = try await daemon.news()
    // Ended from outside, too, the terminal is to be as it was.
    let signals = Signals([SIGWINCH, SIGTERM, SIGINT, SIGHUP])
    let (inputs, input) = AsyncStream.makeStream(of: Input.self)
    let reading = [
      Task { [stream = keys.stream] in
        for await key in stream { input.yield(.key(key)) }
        input.yield(.end)
      },
      Task {
        for await change in changes where change.interface == DaemonClient.library { input.yield(.change) }
        input.yield(.gone)
      },
      Task {
        for await signal in signals.received { input.yield(signal == SIGWINCH ? .resize : .end) }
      },
    ]
    // Its own screen, no cursor, and no line that wraps where a terminal counts wide characters otherwise.
    output.raw("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")
    defer {
      output.raw("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l")
      for task in reading { task.cancel() }
    }
    try await draw()
    for await input in inputs {
      switch input {
      case .key(let key): if try await act(on: key) == false { return }
      case .change: for index in lists.indices { lists[index].forget() }
      case .resize: output.raw("\u{1b}[2J")
      case .gone: throw .refused("The player has just gone.")
      case .end: return
      }
      try await draw()
    }
  }

  // MARK: Keys

  /// False ends the browser.
  private mutating func act(on key: TerminalKey) async throws(CommandError) -> Bool {
    message = ""
    let marked = marked
    self.marked = nil
    if typed != nil { return try await type(key) }
    let page = max(1, height - 1)
    switch key {
    case .up: move(by: -1)
    case .down: move(by: 1)
    case .pageUp: move(by: -page)
    case .pageDown: move(by: page)
    case .home: move(by: -list.total)
    case .end: move(by: list.total)
    case .right, .enter: await enter()
    case .left, .backspace: if lists.count > 1 { lists.removeLast() }
    case .character(" "):
      await onChosen { daemon, item, within throws(CommandError) in
        try await daemon.library("Play", .string(item.id), .string(within))
      }
    case .character("k"):
      await onChosen { daemon, item, _ throws(CommandError) in
        try await daemon.library(item.kept == "no" || item.kept == "failed" ? "Keep" : "Unkeep", .string(item.id))
      }
    case .character("r"):
      if let marked, marked.id != list.rows[list.chosen]?.id { await takeBack(marked) } else { await toggleHeard() }
    case .character("s"):
      await onChosen { daemon, item, _ throws(CommandError) in
        try await daemon.library("SetStarred", .string(item.id), .boolean(item.values["starred"]?.asBool != true))
      }
    case .character("/"): typed = ""
    case .character("q"), .escape, .interrupt: return false
    default: break
    }
    return true
  }

  private mutating func type(_ key: TerminalKey) async throws(CommandError) -> Bool {
    guard var text = typed else { return true }
    switch key {
    case .character(let character): text.append(character)
    case .backspace: if !text.isEmpty { text.removeLast() }
    case .interrupt: return false
    case .escape:
      typed = nil
      if list.search != nil { lists.removeLast() }
      return true
    default:
      typed = nil
      return key == .enter ? true : try await act(on: key)
    }
    typed = text
    if list.search != nil { lists.removeLast() }
    if !text.isEmpty { lists.append(BrowsedList(title: "Search", search: text)) }
    return true
  }

  private var list: BrowsedList {
    get { lists[lists.count - 1] }
    set { lists[lists.count - 1] = newValue }
  }

  private mutating func move(by rows: Int) {
    list.chosen = max(0, min(list.total - 1, list.chosen + rows))
  }

  private mutating func enter() async {
    guard let item = list.rows[list.chosen] else { return }
    if item.isBrowsable {
      lists.append(BrowsedList(id: item.id, title: item.title))
    } else {
      await onChosen { daemon, item, within throws(CommandError) in
        try await daemon.library("Play", .string(item.id), .string(within))
      }
    }
  }

  private mutating func toggleHeard() async {
    guard let item = list.rows[list.chosen] else { return }
    let isHeard = item.values["read"]?.asBool == true
    await onChosen { daemon, item, _ throws(CommandError) in
      try await daemon.library("SetRead", .string(item.id), .boolean(!isHeard))
    }
    guard !isHeard, item.isEpisode, message.isEmpty else { return }
    marked = item
    message = "“\(item.title)” is marked as heard; r again takes it back."
  }

  /// The list has dropped what was marked, and another item lies under the cursor now: that one was not meant.
  private mutating func takeBack(_ item: ListedItem) async {
    do {
      try await daemon.library("SetRead", .string(item.id), .boolean(false))
      list.forget()
      list.follow(item.id)
    } catch {
      message = error.description
    }
  }

  private mutating func onChosen(
    _ action: (DaemonClient, ListedItem, String) async throws(CommandError) -> Void
  ) async {
    guard let item = list.rows[list.chosen] else { return }
    do {
      try await action(daemon, item, list.id)
    } catch {
      message = error.description
    }
    list.forget()
  }

  // MARK: Drawing

  private var size: (columns: Int, rows: Int) { Terminal.size(of: 1) ?? (80, 24) }
  private var height: Int { BrowserScreen.height(rows: size.rows) }

  private mutating func draw() async throws(CommandError) {
    let size = size
    let height = height
    try await find()
    list.show(height: height)
    if !list.holds(list.top..<(list.top + height)) { try await fetch(from: list.top, limit: height) }
    // Shorter than it was thought to be.
    if list.chosen >= list.total, list.chosen > 0 {
      list.chosen = max(0, list.total - 1)
      list.show(height: height)
      if !list.holds(list.top..<(list.top + height)) { try await fetch(from: list.top, limit: height) }
    }
    let rows = BrowserScreen.rows(
      of: list, path: lists.map(\.title), foot: try await foot(), empty: try await nothing(), columns: size.columns,
      rows: size.rows)
    let lines = rows.map { row in
      switch row.kind {
      case .title: "\u{1b}[2K\u{1b}[1m\(row.text)\u{1b}[0m"
      case .chosen: "\u{1b}[2K\u{1b}[7m\(row.text)\u{1b}[0m"
      case .keys: "\u{1b}[2K\u{1b}[2m\(row.text)\u{1b}[0m"
      case .item, .foot: "\u{1b}[2K\(row.text)"
      }
    }
    output.raw("\u{1b}[H" + lines.joined(separator: "\r\n"))
  }

  /// The line under the list: what is typed, what a key came to, why the chosen one could not be kept, or how far down one is.
  private func foot() async throws(CommandError) -> String {
    if let typed { return "/" + typed }
    if !message.isEmpty { return message }
    let place = "\(list.total == 0 ? 0 : list.chosen + 1) of \(list.total)"
    guard let item = list.rows[list.chosen], item.kept == "failed" else { return place }
    let detail = ListedItem(try await daemon.library("GetItem", .string(item.id)).first ?? .boolean(false))
    return detail.keptProblem.map { "\(place) · Not kept: \($0)" } ?? place
  }

  private func nothing() async throws(CommandError) -> String {
    guard list.total == 0 else { return "" }
    guard list.search == nil else { return "Nothing found." }
    return try await EmptyList.sentence(daemon)
  }

  /// After a change: the cursor goes where its item went. It is looked for near its place first, then in as much as a list gives.
  private mutating func find() async throws(CommandError) {
    guard list.isStale else { return }
    let start = max(0, list.top - height)
    try await fetch(from: start, limit: 3 * height)
    if list.isStale { try await fetch(from: 0, limit: 1000) }
    list.giveUp()
  }

  private mutating func fetch(from offset: Int, limit: Int) async throws(CommandError) {
    let (first, count) = (UInt32(offset), UInt32(limit))
    let answer: [DBusValue]
    if let text = list.search {
      answer = try await daemon.library("Search", .string(text), .uint32(first), .uint32(count))
    } else {
      answer = try await daemon.library("ListChildren", .string(list.id), .uint32(first), .uint32(count))
    }
    guard case .array(_, let items)? = answer.first else { return }
    list.take(items.map(ListedItem.init), from: offset, total: Int((answer.count > 1 ? answer[1].asUInt32 : nil) ?? 0))
  }
}

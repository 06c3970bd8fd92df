import DBus
import Reactor

extension Command {
  static let queue = Command(
    "queue", takes: "[add ID [next|last] | remove N | move N M | clear]", count: 0...4, "Shows or changes what plays next.",
    details: "Number 0 is what plays now; it can be neither removed nor moved.",
    completes: .words(["add", "remove", "move", "clear"]), printsData: true
  ) { invocation throws(CommandError) in
    let words = invocation.arguments
    switch (words.first, words.count) {
    case (nil, _):
      let daemon = try await DaemonClient.connect()
      let answer = try await daemon.player("Queue", .uint32(0), .uint32(200))
      guard case .array(_, let items)? = answer.first else { return }
      invocation.output.json(.array(items.map(JSON.init)))
      for (number, item) in items.enumerated() {
        invocation.output.line("\(number)\t" + ListedItem(item).line(width: invocation.output.terminalWidth.map { $0 - 8 }))
      }
      if items.isEmpty { invocation.output.line("The queue is empty.") }
    case ("add", 2...3):
      let place = words.count > 2 ? words[2] : "last"
      guard ["next", "last"].contains(place) else { throw .usage("An episode is added `next` or `last`.") }
      try await DaemonClient.connect().library("Enqueue", .string(words[1]), .string(place))
    case ("remove", 2):
      let number = try index(words[1])
      try await DaemonClient.connect().player("Remove", .uint32(number))
    case ("move", 3):
      let (from, to) = (try index(words[1]), try index(words[2]))
      try await DaemonClient.connect().player("Move", .uint32(from), .uint32(to))
    case ("clear", 1):
      try await DaemonClient.connect().player("ClearQueue")
    default:
      throw .usage("usage: ipodderx-car queue [add ID [next|last] | remove N | move N M | clear]")
    }
  }

  static let output = Command(
    "output", takes: "[NAME]", count: 0...1, "Lists the outputs, or plays on the one named.", printsData: true
  ) { invocation throws(CommandError) in
    let daemon = try await DaemonClient.connect()
    let outputs = try await daemon.player("ListOutputs").first
    guard case .array(_, let values)? = outputs else { return }
    let list = values.compactMap(\.asDictionary)
    guard let wanted = invocation[0] else {
      invocation.output.json(.array(values.map(JSON.init)))
      for output in list {
        let mark = output["current"]?.asBool == true ? "▶ " : "  "
        invocation.output.line(mark + "\(output["title"]?.asString ?? "")  [\(output["id"]?.asString ?? "")]")
      }
      if list.isEmpty { invocation.output.line("The sound server names no output (or there is none).") }
      return
    }
    let match =
      list.first { $0["id"]?.asString == wanted }
      ?? list.first { output in
        output["title"]?.asString?.lowercased().contains(wanted.lowercased()) == true
      }
    guard let id = match?["id"]?.asString else {
      throw .refused("There is no output “\(wanted.brief)”; `ipodderx-car output` lists them.")
    }
    try await daemon.player("SetOutput", .string(id))
  }

  static let chapters = Command(
    "chapters", takes: "[NUMBER]", count: 0...1, "Lists the chapters, or goes to one (the first is 1).", printsData: true
  ) { invocation throws(CommandError) in
    let daemon = try await DaemonClient.connect()
    let properties = try await daemon.properties(DaemonClient.player)
    guard case .array(_, let values)? = properties["Chapters"]?.unwrapped, !values.isEmpty else {
      throw .refused("What is loaded has no chapters.")
    }
    guard let text = invocation[0] else {
      invocation.output.json(.array(values.map(JSON.init)))
      let current = properties["Chapter"]?.asInt64 ?? -1
      for (number, value) in values.enumerated() {
        let chapter = value.asDictionary ?? [:]
        let start = TimeText.show(.init(microseconds: chapter["start"]?.asInt64 ?? 0))
        invocation.output.line(
          "\(number == Int(current) ? "▶" : " ") \(number + 1)\t\(start)\t\(chapter["title"]?.asString ?? "")")
      }
      return
    }
    guard let number = Int(text), (1...values.count).contains(number) else {
      throw .usage("There are chapters 1 to \(values.count), not “\(text.brief)”.")
    }
    try await daemon.player("GoToChapter", .uint32(UInt32(number - 1)))
  }

  private static func index(_ text: String) throws(CommandError) -> UInt32 {
    guard let value = UInt32(text) else { throw .usage("“\(text.brief)” is no number in the queue.") }
    return value
  }
}

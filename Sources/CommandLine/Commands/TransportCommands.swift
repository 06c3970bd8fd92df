import DBus
import Reactor

extension Command {
  static let transport: [Command] = [
    Command(
      "play", takes: "[ID]", count: 0...1, "Goes on playing, or plays the item ID, or an address.",
      details: """
        With an ID from `list` or `search` that episode plays; what follows it in LIST becomes the queue. An address (http, https or file) of \
        something else is looked at first: what plays goes on where that cannot be had, or is no sound. It ends when there is sound, or \
        with status 1 when it is known that there is none, and why.
        """,
      options: [Option("within", "LIST", "the list that follows it", completes: .items)], completes: .items
    ) { invocation throws(CommandError) in
      let daemon = try await DaemonClient.connect()
      try await SoundWait.after(daemon) { () throws(CommandError) in
        guard let id = invocation[0] else { return try await act("Play", if: "CanPlay", daemon) }
        if id.contains("://") {
          try await daemon.mpris("OpenUri", .string(id))
        } else {
          try await daemon.library("Play", .string(id), .string(invocation.options["within"] ?? ""))
        }
      }
    },
    simple("pause", "Pause", "Pauses; the place is saved."),
    simple("toggle", "PlayPause", if: "CanPlay", "Plays when paused, pauses when playing."),
    simple("stop", "Stop", "Stops and lets go of the sound server; the place is saved."),
    simple("next", "Next", if: "CanGoNext", "The next episode, skip or chapter, as the setting `next` says."),
    simple("previous", "Previous", if: "CanGoPrevious", "The previous episode, skip or chapter."),
    seek, speed, volume, sleep,
  ]

  private static func simple(
    _ name: String, _ method: String, if ability: String? = nil, _ summary: String
  ) -> Command {
    Command(name, summary) { _ throws(CommandError) in try await act(method, if: ability, DaemonClient.connect()) }
  }

  /// MPRIS has no word for "there is nothing to do"; a person is owed one.
  private static func act(_ method: String, if ability: String?, _ daemon: DaemonClient) async throws(CommandError) {
    if let ability, try await daemon.properties(DaemonClient.mprisPlayer)[ability]?.asBool == false {
      let problem = try await daemon.properties(DaemonClient.player)["Problem"]?.asString ?? ""
      let sentence =
        switch ability {
        case "CanGoNext": "Nothing follows."
        case "CanGoPrevious": "Nothing comes before."
        default: "There is nothing to play yet."
        }
      throw .refused(problem.isEmpty || ability != "CanPlay" ? sentence : sentence + " " + problem)
    }
    try await daemon.mpris(method)
  }

  private static let seek = Command(
    "seek", takes: "TIME", count: 1...1, "Moves by +TIME or -TIME, or to TIME.",
    details: "TIME is seconds (90), a clock (1:02:03) or units (1h30m); with a sign it is relative."
  ) { invocation throws(CommandError) in
    let text = invocation[0] ?? ""
    let sign = text.first.flatMap { $0 == "+" ? 1 : $0 == "-" ? -1 : nil as Int64? }
    guard let time = TimeText.parse(sign == nil ? text[...] : text.dropFirst()) else {
      throw .usage("“\(text.brief)” is no time: 90, 1:30, 1h30m, +30 or -15.")
    }
    let daemon = try await DaemonClient.connect()
    let properties = try await daemon.properties(DaemonClient.mprisPlayer)
    let metadata = properties["Metadata"]?.asDictionary ?? [:]
    guard let track = metadata["mpris:trackid"]?.asObjectPath, !track.text.hasSuffix("/NoTrack") else {
      throw .refused("Nothing is loaded.")
    }
    guard properties["CanSeek"]?.asBool == true else {
      throw .refused("This cannot be moved in: its server gives it only from the beginning.")
    }
    if let sign {
      try await daemon.mpris("Seek", .int64(sign * time.microseconds))
      return
    }
    if let length = metadata["mpris:length"]?.asInt64, time.microseconds > length {
      throw .refused("It is only \(TimeText.show(MediaTime(microseconds: length))) long.")
    }
    try await daemon.mpris("SetPosition", .objectPath(track), .int64(time.microseconds))
  }

  private static let speed = Command(
    "speed", takes: "[FACTOR]", count: 0...1, "Shows or sets the speed, 0.5 to 3; the pitch stays.", printsData: true
  ) { invocation throws(CommandError) in
    try await numberProperty(invocation, "Rate", "speed", in: 0.5...3)
  }

  private static let volume = Command(
    "volume", takes: "[PERCENT]", count: 0...1, "Shows or sets the volume in per cent.", printsData: true
  ) { invocation throws(CommandError) in
    try await numberProperty(invocation, "Volume", "volume", in: 0...150, scale: 100)
  }

  private static func numberProperty(
    _ invocation: Invocation, _ property: String, _ word: String, in range: ClosedRange<Double>, scale: Double = 1
  ) async throws(CommandError) {
    guard let text = invocation[0] else {
      let value = try await DaemonClient.connect().properties(DaemonClient.mprisPlayer)[property]?.asDouble ?? 1
      let shown = (value * scale * 100).rounded() / 100
      invocation.output.json(.object([word: .double(shown)]))
      invocation.output.line(shown == shown.rounded() ? String(Int(shown)) : String(shown))
      return
    }
    guard let value = Double(text), range.contains(value) else {
      throw .usage("“\(text.brief)” is no \(word): a number from \(range.lowerBound) to \(range.upperBound).")
    }
    try await DaemonClient.connect().setProperty(DaemonClient.mprisPlayer, property, .double(value / scale))
  }

  private static let sleep = Command(
    "sleep", takes: "[off|TIME|chapter|episode]", count: 0...1, "Shows or sets the sleep timer; it counts while something plays.",
    details: "TIME is minutes (30), a clock (0:30:00) or units (1h30m). The sound fades over the last ten seconds.",
    completes: .words(["off", "15", "30", "60", "chapter", "episode"]), printsData: true
  ) { invocation throws(CommandError) in
    let daemon = try await DaemonClient.connect()
    guard let word = invocation[0] else {
      let properties = try await daemon.properties(DaemonClient.player)
      let mode = properties["SleepMode"]?.asString ?? "off"
      let left = MediaTime(microseconds: properties["SleepRemaining"]?.asInt64 ?? 0)
      invocation.output.json(.object(["mode": .string(mode), "remaining": .int(left.microseconds)]))
      invocation.output.line(mode == "time" ? "\(TimeText.show(left)) of playing left" : mode)
      return
    }
    if ["off", "chapter", "episode"].contains(word) {
      try await daemon.player("Sleep", .string(word), .int64(0))
      return
    }
    // A bare number is minutes here, as on every sleep timer.
    guard let time = Double(word).map({ MediaTime(seconds: $0 * 60) }) ?? TimeText.parse(word), time > .zero else {
      throw .usage("“\(word.brief)” is none of off, chapter, episode, or a time such as 30 (minutes) or 1h30m.")
    }
    guard time <= .seconds(24 * 3600) else { throw .usage("The sleep timer takes at most 24 hours.") }
    try await daemon.player("Sleep", .string("time"), .int64(time.microseconds))
  }
}

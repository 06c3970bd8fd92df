import Reactor

/// Every path of the API, and what is answered there. Knows no sockets: a request in, a reply out.
struct Router: Sendable {
  let library: any ServedLibrary
  let door: Doorkeeper
  let counters: RequestCounters?
  let refusesEvents: Bool

  private var catalogue: Catalogue { library.catalogue }

  func reply(to request: ServerRequest) -> ServerReply {
    if let refusal = door.refuse(request) { return refusal }
    switch request.method {
    case "GET", "HEAD": return read(request)
    case "PUT": return write(request)
    default: return ServerReply.error(405, "Only GET, HEAD and PUT are understood").with("Allow", "GET, HEAD, PUT")
    }
  }

  // MARK: GET

  private func read(_ request: ServerRequest) -> ServerReply {
    let parts = request.parts
    switch (parts.count, parts.first) {
    case (2..., "api"): return readAPI(parts.dropFirst().map { $0 }, request)
    case (2...3, "media"): return media(parts.dropFirst().map { $0 }, request)
    case (2, "debug") where parts[1] == "counters":
      guard let counters else { return .notFound }
      return .json(counters.json)
    default: return .notFound
    }
  }

  private func readAPI(_ parts: [String], _ request: ServerRequest) -> ServerReply {
    switch (parts.count, parts[0]) {
    case (1, "me"):
      library.prepare()
      return .json(JSONShapes.me(unread: catalogue.unread()))
    case (1, "feeds"):
      library.prepare()
      return .json(JSONShapes.feeds(catalogue.feeds, counts: catalogue.counts()))
    case (1, "entries"): return entries(request)
    case (3, "entries") where parts[2] == "chapters": return chapters(parts[1])
    case (1, "events"): return refusesEvents ? .notFound : .events(request)
    case (2...3, "art"): return artwork(parts.dropFirst().map { $0 }, request)
    default: return .notFound
    }
  }

  private func entries(_ request: ServerRequest) -> ServerReply {
    library.prepare()
    do throws(BadRequest) {
      let query = try EntryQuery(request.query)
      if let feed = query.feed, catalogue.feed(feed) == nil { return .error(404, "There is no such feed") }
      let search = TextSearch(query.search)
      let page = catalogue.page(query) { record in
        search.matchesAll || library.describe(record).map(search.matches) == true
      }
      return .json(JSONShapes.page(page, library))
    } catch {
      return .error(400, error.sentence)
    }
  }

  private func chapters(_ id: String) -> ServerReply {
    guard let record = record(id), let chapters = library.chapters(record), !chapters.isEmpty else { return .notFound }
    return .json(JSONShapes.chapters(chapters))
  }

  private func artwork(_ parts: [String], _ request: ServerRequest) -> ServerReply {
    library.prepare()
    guard let feed = Int64(parts[0]), catalogue.feed(feed) != nil else { return .notFound }
    let content: ServedContent?
    if parts.count == 2 {
      guard let record = record(parts[1]), record.feed == feed else { return .notFound }
      content = library.artwork(record)
    } else {
      content = library.artwork(feed: feed)
    }
    return content.map { ContentReply.make($0, for: request) } ?? .notFound
  }

  private func media(_ parts: [String], _ request: ServerRequest) -> ServerReply {
    library.prepare()
    let deadAir = parts.count == 2
    guard !deadAir || parts[1] == "deadair", let enclosure = Int64(parts[0]), enclosure > 0,
      let record = catalogue.record(enclosure - 1), let content = library.media(record, deadAir: deadAir)
    else { return .notFound }
    return ContentReply.make(content, for: request)
  }

  private func record(_ id: String) -> EntryRecord? {
    library.prepare()
    return Int64(id).flatMap { catalogue.record($0) }
  }

  // MARK: PUT

  private func write(_ request: ServerRequest) -> ServerReply {
    let parts = request.parts
    guard parts.count == 4, parts[0] == "api", parts[1] == "entries" else { return .notFound }
    guard ["position", "read", "starred"].contains(parts[3]) else { return .notFound }
    guard let id = record(parts[2])?.id else { return .error(404, "There is no such episode") }
    do throws(BadRequest) {
      switch parts[3] {
      case "position":
        let place = try WriteBody.position(request.body)
        return outcome(catalogue.setPosition(place.seconds, at: place.at, of: id))
      case "read": return outcome(catalogue.setRead(try WriteBody.flag("read", request.body), of: id))
      default: return outcome(catalogue.setStarred(try WriteBody.flag("starred", request.body), of: id))
      }
    } catch {
      return .error(400, error.sentence)
    }
  }

  private func outcome(_ outcome: StateOutcome) -> ServerReply {
    switch outcome {
    case .changed(let record):
      library.keep(record)
      return .noContent
    case .unchanged: return .noContent
    case .refused(let record): return .json(JSONShapes.place(record), status: 409)
    case .notFound: return .error(404, "There is no such episode")
    }
  }
}

extension ServerReply {
  static func events(_ request: ServerRequest) -> ServerReply {
    ServerReply(
      status: 200, headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
      body: .events(after: request.headers["last-event-id"]))
  }
}

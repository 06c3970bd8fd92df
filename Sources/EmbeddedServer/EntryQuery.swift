/// What `GET /api/entries` was asked for.
struct EntryQuery: Equatable {
  enum State: String { case all, unread, read, started, starred }
  enum Sort: String { case newest, oldest }

  var feed: Int64?
  var state = State.all
  var search = ""
  var sort = Sort.newest
  var limit = 200
  var after: EntryCursor?
  /// Only what changed since; the answer is then ordered by its changes.
  var changed: SyncMark?

  static let largestLimit = 1000

  init() {}

  /// Throws a sentence about the first parameter that is not understood.
  init(_ parameters: [String: String]) throws(BadRequest) {
    if let text = parameters["feed"], !text.isEmpty {
      guard let id = Int64(text) else { throw BadRequest("“feed” is not a feed's id") }
      feed = id
    }
    if let text = parameters["state"], !text.isEmpty {
      guard let value = State(rawValue: text) else {
        throw BadRequest("“state” is one of all, unread, read, started, starred")
      }
      state = value
    }
    if let text = parameters["sort"], !text.isEmpty {
      guard let value = Sort(rawValue: text) else { throw BadRequest("“sort” is newest or oldest") }
      sort = value
    }
    if let text = parameters["limit"], !text.isEmpty {
      guard let value = Int(text), value > 0 else { throw BadRequest("“limit” is a number from 1") }
      limit = min(value, Self.largestLimit)
    }
    search = parameters["search"] ?? ""
    if let text = parameters["changed"] {
      guard let mark = SyncMark(text) else { throw BadRequest("“changed” is not a sync mark of this server") }
      changed = mark
    }
    if let text = parameters["after"], !text.isEmpty {
      guard let cursor = EntryCursor(text) else { throw BadRequest("“after” is not a cursor of this server") }
      after = cursor
    }
  }

  func admits(_ record: EntryRecord) -> Bool {
    if let feed, record.feed != feed { return false }
    switch state {
    case .all: return true
    case .unread: return !record.state.read
    case .read: return record.state.read
    case .started: return record.state.position > 0 && !record.state.read
    case .starred: return record.state.starred
    }
  }
}

/// A request that cannot be understood, with a sentence that says why: 400.
struct BadRequest: Error, Equatable {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

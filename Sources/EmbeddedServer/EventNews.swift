/// Says each change of the catalogue on `/api/events`, in the API's shapes.
struct EventNews: Sendable {
  let library: any ServedLibrary
  let hub: EventHub

  func tell(_ change: CatalogueChange) {
    switch change {
    case .entry(let record), .starred(let record): entry(record)
    case .position(let record): hub.publish("position", JSONShapes.position(record))
    case .read(let record):
      entry(record)
      library.catalogue.feed(record.feed).map(feed)
      me()
    case .feed(let value): feed(value)
    case .unread: me()
    }
  }

  private func entry(_ record: EntryRecord) {
    library.describe(record).map { hub.publish("entry", JSONShapes.entry(record, $0)) }
  }

  private func feed(_ feed: ServedFeed) {
    hub.publish("feed", JSONShapes.feed(feed, library.catalogue.counts(feed: feed.id)))
  }

  private func me() {
    hub.publish("me", JSONShapes.me(unread: library.catalogue.unread()))
  }
}

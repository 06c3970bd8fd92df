import Reactor

/// The API's objects as text: every field name of the server's side stands in this file.
enum JSONShapes {
  static func me(unread: Int) -> [UInt8] {
    JSONWriter.object {
      $0.key("name")
      $0.value("This computer")
      $0.key("admin")
      $0.value(false)
      $0.key("unread")
      $0.value(unread)
    }
  }

  static func feeds(_ feeds: [ServedFeed], counts: [Int64: FeedCounts]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for feed in feeds { self.feed(feed, counts[feed.id] ?? FeedCounts(total: 0, unread: 0), &writer) }
    }
    return writer.bytes
  }

  static func feed(_ feed: ServedFeed, _ counts: FeedCounts) -> [UInt8] {
    var writer = JSONWriter()
    self.feed(feed, counts, &writer)
    return writer.bytes
  }

  private static func feed(_ feed: ServedFeed, _ counts: FeedCounts, _ writer: inout JSONWriter) {
    writer.object {
      $0.key("id")
      $0.value(feed.id)
      $0.key("title")
      $0.value(feed.title)
      $0.key("folder")
      $0.value(feed.folder)
      $0.key("artwork")
      $0.value(feed.hasArtwork ? "/api/art/\(feed.id)" : nil)
      $0.key("site")
      $0.value(feed.site)
      $0.key("unread")
      $0.value(counts.unread)
      $0.key("total")
      $0.value(counts.total)
    }
  }

  static func page(_ page: EntryPage, _ library: any ServedLibrary) -> [UInt8] {
    JSONWriter.object { writer in
      writer.key("entries")
      writer.array { writer in
        for record in page.records {
          if let entry = library.describe(record) { self.entry(record, entry, &writer) }
        }
      }
      writer.key("next")
      writer.value(page.next)
      writer.key("sync")
      writer.value(page.sync)
    }
  }

  static func entry(_ record: EntryRecord, _ entry: ServedEntry) -> [UInt8] {
    var writer = JSONWriter()
    self.entry(record, entry, &writer)
    return writer.bytes
  }

  private static func entry(_ record: EntryRecord, _ entry: ServedEntry, _ writer: inout JSONWriter) {
    writer.object {
      $0.key("id")
      $0.value(record.id)
      $0.key("feedId")
      $0.value(record.feed)
      $0.key("guid")
      $0.value(entry.guid)
      $0.key("title")
      $0.value(entry.title)
      $0.key("published")
      $0.value(Timestamp.text(record.published))
      $0.key("read")
      $0.value(record.state.read)
      $0.key("starred")
      $0.value(record.state.starred)
      $0.key("position")
      $0.value(record.state.position)
      $0.key("positionAt")
      $0.value(record.state.positionAt.map(Timestamp.text))
      $0.key("duration")
      $0.value(entry.duration)
      $0.key("summary")
      $0.value(entry.summary)
      $0.key("notes")
      $0.value(entry.notes)
      $0.key("link")
      $0.value(entry.link)
      $0.key("artwork")
      $0.value(entry.hasArtwork ? "/api/art/\(record.feed)/\(record.id)" : nil)
      $0.key("chapters")
      $0.value(entry.hasChapters ? "/api/entries/\(record.id)/chapters" : nil)
      $0.key("enclosures")
      $0.array { writer in
        if let file = entry.file { enclosure(record, entry, file, &writer) }
      }
    }
  }

  private static func enclosure(
    _ record: EntryRecord, _ entry: ServedEntry, _ file: ServedFile, _ writer: inout JSONWriter
  ) {
    writer.object {
      $0.key("id")
      $0.value(record.enclosure)
      $0.key("url")
      $0.value("/media/\(record.enclosure)")
      $0.key("type")
      $0.value(file.type)
      $0.key("bytes")
      $0.value(file.bytes)
      $0.key("duration")
      $0.value(entry.duration)
      $0.key("deadair")
      $0.value(file.hasDeadAirCut ? "/media/\(record.enclosure)/deadair" : nil)
    }
  }

  static func chapters(_ chapters: [ServedChapter]) -> [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      for chapter in chapters {
        writer.object {
          $0.key("start")
          $0.value(chapter.start)
          $0.key("title")
          $0.value(chapter.title)
          $0.key("artwork")
          $0.null()
        }
      }
    }
    return writer.bytes
  }

  /// What a refused place is answered with.
  static func place(_ record: EntryRecord) -> [UInt8] {
    JSONWriter.object {
      $0.key("position")
      $0.value(record.state.position)
      $0.key("at")
      $0.value(record.state.positionAt.map(Timestamp.text))
    }
  }

  /// A place as an event tells it: whose it is, and the stamp by both of its names.
  static func position(_ record: EntryRecord) -> [UInt8] {
    JSONWriter.object {
      $0.key("id")
      $0.value(record.id)
      $0.key("feedId")
      $0.value(record.feed)
      $0.key("position")
      $0.value(record.state.position)
      $0.key("positionAt")
      $0.value(record.state.positionAt.map(Timestamp.text))
      $0.key("at")
      $0.value(record.state.positionAt.map(Timestamp.text))
    }
  }
}

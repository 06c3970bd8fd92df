import IPX
import Reactor
import Store

// What the server tells, as the store takes it in.

extension IPXFeed {
  var record: FeedRecord {
    FeedRecord(id: id, title: title, folder: folder, artwork: artwork, site: site, unread: unread, total: total)
  }
}

extension IPXEntry {
  var record: EntryRecord {
    EntryRecord(
      id: id, feed: feed, guid: guid, title: title, published: published?.microseconds ?? 0, read: isRead, starred: isStarred,
      position: position.microseconds, stamp: positionAt?.microseconds ?? 0, duration: duration?.microseconds, summary: summary,
      notes: notes, link: link, artwork: artwork, chapters: chapters,
      enclosures: enclosures.map { file in
        EnclosureRecord(
          id: file.id, url: file.url, type: file.type, bytes: file.bytes, duration: file.duration?.microseconds,
          deadair: file.deadair, playable: file.isSound)
      })
  }
}

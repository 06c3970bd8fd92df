/// The store's tables, one step for each version; `PRAGMA user_version` says how many were taken.
/// All times are µs, dates µs since 1970 (UTC). A step once released is never edited, only followed by another.
enum Schema {
  static let version = Int64(steps.count)
  /// What an older one that may not be changed lacks is not needed to read it.
  static let readable: ClosedRange<Int64> = 2...version

  static func migrate(_ database: Database) throws(StoreError) {
    let found = try database.int("PRAGMA user_version") ?? 0
    guard found <= version else {
      throw StoreError(
        .newer,
        "The store \(database.path) was written by a newer ipodderx-car (version \(found), this one knows \(version)).")
    }
    guard found < version else { return }
    try database.transaction { () throws(StoreError) in
      for step in steps[Int(max(0, found))...] { try database.script(step) }
      try database.script("PRAGMA user_version = \(version)")
    }
  }

  static let steps = [one, two, three]

  /// `listed`: has sound to play (1), or is only counted (0). `folded` titles are for sorting without case and accents.
  /// `tally` holds how many entries each view of each feed and year has; the triggers keep it, so that no list is ever counted.
  /// `found` is contentless: the text stands in `entry` and `note`, its row is the date and the entry (`Store.searchRow`), which
  /// makes FTS5's own row order newest first; without positions it is a third of the size, and nothing asks for phrases.
  private static let one = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE folder (row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE);
    CREATE TABLE feed (
      row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, folded TEXT NOT NULL, folder TEXT,
      artwork TEXT, site TEXT, unread INTEGER, total INTEGER, filter TEXT NOT NULL DEFAULT '', ordering TEXT NOT NULL DEFAULT '',
      keeps INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX feed_by_folder ON feed (folder, folded) WHERE gone = 0;
    CREATE TABLE entry (
      row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, feed INTEGER NOT NULL, listed INTEGER NOT NULL,
      published INTEGER NOT NULL, year INTEGER NOT NULL, read INTEGER NOT NULL, starred INTEGER NOT NULL,
      position INTEGER NOT NULL, stamp INTEGER NOT NULL, kept INTEGER NOT NULL DEFAULT 0,
      duration INTEGER, learned INTEGER, sweep INTEGER NOT NULL DEFAULT 0, uses INTEGER NOT NULL DEFAULT 0,
      title TEXT NOT NULL, artwork TEXT, guid TEXT, link TEXT, chapters TEXT);
    CREATE INDEX entry_by_feed ON entry (feed, published, row) WHERE listed = 1;
    CREATE INDEX entry_unheard ON entry (feed, published, row) WHERE listed = 1 AND read = 0;
    CREATE INDEX entry_new ON entry (published, row) WHERE listed = 1 AND read = 0 AND position = 0;
    CREATE INDEX entry_started ON entry (stamp, row) WHERE listed = 1 AND read = 0 AND position > 0;
    CREATE INDEX entry_started_by_feed ON entry (feed, published, row) WHERE listed = 1 AND read = 0 AND position > 0;
    CREATE INDEX entry_starred ON entry (feed, published, row) WHERE listed = 1 AND starred = 1;
    CREATE INDEX entry_kept ON entry (published, row) WHERE listed = 1 AND kept > 0;
    CREATE INDEX entry_kept_by_feed ON entry (feed, published, row) WHERE listed = 1 AND kept > 0;
    CREATE INDEX entry_artwork ON entry (artwork) WHERE artwork IS NOT NULL;
    CREATE INDEX entry_unswept ON entry (feed, sweep);
    CREATE TABLE enclosure (
      entry INTEGER NOT NULL, place INTEGER NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, type TEXT, bytes INTEGER,
      duration INTEGER, deadair TEXT, playable INTEGER NOT NULL, PRIMARY KEY (entry, place)) WITHOUT ROWID;
    CREATE TABLE note (entry INTEGER PRIMARY KEY, summary TEXT, notes TEXT);
    CREATE TABLE keep (
      entry INTEGER PRIMARY KEY, queued INTEGER NOT NULL, deadair INTEGER NOT NULL DEFAULT 0, byRule INTEGER NOT NULL DEFAULT 0,
      file TEXT, bytes INTEGER, ratio REAL, held INTEGER NOT NULL DEFAULT 0, total INTEGER, reason TEXT);
    CREATE TABLE chapter (entry INTEGER NOT NULL, start INTEGER NOT NULL, title TEXT NOT NULL);
    CREATE INDEX chapter_by_entry ON chapter (entry, start);
    CREATE TABLE art (path TEXT PRIMARY KEY, file TEXT, etag TEXT, checked INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE journal (
      seq INTEGER PRIMARY KEY AUTOINCREMENT, entry INTEGER NOT NULL, kind INTEGER NOT NULL, value INTEGER NOT NULL,
      stamp INTEGER NOT NULL, undo INTEGER NOT NULL, undoStamp INTEGER NOT NULL, UNIQUE (entry, kind));
    CREATE TABLE tally (
      feed INTEGER NOT NULL, year INTEGER NOT NULL, every INTEGER NOT NULL, unheard INTEGER NOT NULL, fresh INTEGER NOT NULL,
      started INTEGER NOT NULL, starred INTEGER NOT NULL, kept INTEGER NOT NULL, PRIMARY KEY (feed, year)) WITHOUT ROWID;
    CREATE TRIGGER entry_added AFTER INSERT ON entry WHEN new.listed = 1 BEGIN
      INSERT INTO tally VALUES (new.feed, new.year, 1, new.read = 0, new.read = 0 AND new.position = 0,
        new.read = 0 AND new.position > 0, new.starred, new.kept > 0)
      ON CONFLICT DO UPDATE SET every = every + 1, unheard = unheard + excluded.unheard, fresh = fresh + excluded.fresh,
        started = started + excluded.started, starred = starred + excluded.starred, kept = kept + excluded.kept;
    END;
    CREATE TRIGGER entry_removed AFTER DELETE ON entry WHEN old.listed = 1 BEGIN
      UPDATE tally SET every = every - 1, unheard = unheard - (old.read = 0),
        fresh = fresh - (old.read = 0 AND old.position = 0), started = started - (old.read = 0 AND old.position > 0),
        starred = starred - old.starred, kept = kept - (old.kept > 0) WHERE feed = old.feed AND year = old.year;
    END;
    CREATE TRIGGER entry_changed AFTER UPDATE OF feed, listed, year, read, starred, position, kept ON entry
    WHEN old.feed <> new.feed OR old.listed <> new.listed OR old.year <> new.year OR old.read <> new.read
      OR old.starred <> new.starred OR (old.position > 0) <> (new.position > 0) OR (old.kept > 0) <> (new.kept > 0) BEGIN
      UPDATE tally SET every = every - 1, unheard = unheard - (old.read = 0),
        fresh = fresh - (old.read = 0 AND old.position = 0), started = started - (old.read = 0 AND old.position > 0),
        starred = starred - old.starred, kept = kept - (old.kept > 0)
        WHERE old.listed = 1 AND feed = old.feed AND year = old.year;
      INSERT INTO tally SELECT new.feed, new.year, 1, new.read = 0, new.read = 0 AND new.position = 0,
        new.read = 0 AND new.position > 0, new.starred, new.kept > 0 WHERE new.listed = 1
      ON CONFLICT DO UPDATE SET every = every + 1, unheard = unheard + excluded.unheard, fresh = fresh + excluded.fresh,
        started = started + excluded.started, starred = starred + excluded.starred, kept = kept + excluded.kept;
    END;
    CREATE VIRTUAL TABLE found USING fts5 (title, show, notes, content = '',
      tokenize = "unicode61 remove_diacritics 0 categories 'L* N* M* Co So'", prefix = '2 3 4',
      detail = none);
    INSERT INTO found (found, rank) VALUES ('automerge', 8);
    """

  /// Changes the server has just taken: lists that were asked for before do not know of them yet.
  private static let two = """
    CREATE TABLE settled (entry INTEGER NOT NULL, kind INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (entry, kind))
      WITHOUT ROWID;
    """

  /// What a server counts as unread and no list shows (`Store.hiddenUnheard`).
  private static let three = """
    CREATE INDEX entry_hidden ON entry (row) WHERE listed = 0 AND read = 0;
    """
}

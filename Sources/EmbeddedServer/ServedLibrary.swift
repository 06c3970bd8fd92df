/// What an `EmbeddedServer` serves: a catalogue, and the words and bytes that go with its lines.
/// Every call comes on the server's threads, several at once, and is answered without waiting for anything slower than a disk.
public protocol ServedLibrary: AnyObject, Sendable {
  /// Feeds, entries and their states.
  var catalogue: Catalogue { get }

  /// Called once before the first request; what takes long is begun here and waited for in `prepare`.
  func open() throws(EmbeddedServerError)
  /// Called before a list is answered: the first is there when it returns.
  func prepare()
  /// Called once after the last request.
  func close()

  func describe(_ record: EntryRecord) -> ServedEntry?
  /// Nil where there are none.
  func chapters(_ record: EntryRecord) -> [ServedChapter]?
  func media(_ record: EntryRecord, deadAir: Bool) -> ServedContent?
  func artwork(feed: Int64) -> ServedContent?
  func artwork(_ record: EntryRecord) -> ServedContent?

  /// What a listener did was taken into the catalogue and is to be kept.
  func keep(_ record: EntryRecord)
}

extension ServedLibrary {
  public func open() throws(EmbeddedServerError) {}
  public func prepare() {}
  public func close() {}
  public func keep(_ record: EntryRecord) {}
}

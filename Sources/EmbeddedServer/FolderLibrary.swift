import Dispatch
import Reactor
import Synchronization

/// A folder of audio as a library: each folder in it with sound is a feed, read anew whenever something in it changes.
public final class FolderLibrary: ServedLibrary {
  public let catalogue = Catalogue()
  private let root: String
  private let states: StateFile
  private let reading = Mutex(FolderReading())
  private let watch: TreeWatch
  /// One reading at a time, off the server's thread.
  private let queue = DispatchQueue(label: "net.sdf1.ipodderx.folder")
  private let firstReading = DispatchGroup()

  /// The folder must be there and readable; it is read when `open` is called.
  public init(_ options: EmbeddedServerOptions, timekeeper: any Timekeeper = SystemTimekeeper()) throws(EmbeddedServerError) {
    let folder = options.demo ? try DemoLibrary.folder() : options.folder ?? ""
    root = try FolderListing.usable(folder)
    // The demo begins the same every time: what is done there is not kept unless somebody says where.
    states = StateFile(library: root, folder: options.stateFolder ?? (options.demo ? nil : root + "/.ipodderx"))
    watch = TreeWatch(timekeeper: timekeeper)
  }

  public func open() throws(EmbeddedServerError) {
    states.load()
    firstReading.enter()
    queue.async { [self] in
      read()
      firstReading.leave()
      watch.begin { [weak self] in self?.readSoon() }
    }
  }

  public func prepare() {
    firstReading.wait()
    // Only where the kernel would not watch: then every list looks for itself, which costs a `stat` a file.
    if watch.isBlind { rescan() }
  }

  public func close() {
    watch.end()
    queue.sync {}
    states.sync()
  }

  /// Reads the folder again at once; returns when what was found is served.
  public func rescan() {
    queue.sync { read() }
  }

  private func readSoon() {
    queue.async { [self] in read() }
  }

  private func read() {
    let reader = FolderReader(root: root, before: reading.withLock { $0 }, entering: { [watch] in watch.add($0) })
    let found = reader.read()
    reading.withLock { $0 = found }
    let entries = found.entries.values.map { entry in
      EntryRecord(
        id: entry.id, feed: entry.feed, published: entry.published, version: entry.version,
        state: states[entry.relativePath] ?? EntryState())
    }
    catalogue.replace(feeds: found.feeds, entries: entries)
  }

  private func entry(_ record: EntryRecord) -> FolderEntry? { reading.withLock { $0.entries[record.id] } }

  // MARK: ServedLibrary

  public func describe(_ record: EntryRecord) -> ServedEntry? { entry(record)?.served }

  public func chapters(_ record: EntryRecord) -> [ServedChapter]? { entry(record)?.chapters }

  public func media(_ record: EntryRecord, deadAir: Bool) -> ServedContent? {
    guard let entry = entry(record) else { return nil }
    guard deadAir else { return ServedContent(.file(path: entry.path, root: root), type: entry.type) }
    return entry.deadAirPath.map { ServedContent(.file(path: $0, root: root), type: MediaType.audio($0) ?? entry.type) }
  }

  public func artwork(feed: Int64) -> ServedContent? {
    reading.withLock { $0.artwork[feed] }.map(picture)
  }

  public func artwork(_ record: EntryRecord) -> ServedContent? {
    entry(record)?.artworkPath.map(picture)
  }

  private func picture(_ path: String) -> ServedContent {
    ServedContent(.file(path: path, root: root), type: MediaType.picture(path) ?? "application/octet-stream")
  }

  public func keep(_ record: EntryRecord) {
    if let entry = entry(record) { states.keep(record.state, of: entry.relativePath) }
  }
}

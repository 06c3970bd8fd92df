import Reactor

/// Makes one file, its tags and what stands beside it into an episode.
struct EntryReader {
  let feed: Int64
  let folder: String
  let relativePath: String
  let file: FolderListing.File
  let type: String
  let listing: FolderListing
  let words: FeedWords.Episode?

  private var stem: Substring { MediaType.stem(file.name) }

  func read(before: FolderReading) -> FolderEntry {
    let id = StableID.entry(relativePath)
    let version = version
    if let known = before.entries[id], known.version == version { return known }
    let path = folder + "/" + file.name
    let tags = FileTags.read(path)
    var served = ServedEntry(guid: words?.guid ?? relativePath, title: words?.title ?? tags.title ?? String(stem))
    served.summary = words?.summary ?? tags.comment
    served.notes = words?.notes
    served.link = words?.link
    served.duration = tags.duration ?? words?.duration
    let chapters = listing.files["\(stem).chapters.json"].flatMap { ChaptersFile.read(folder + "/" + $0.name) } ?? tags.chapters
    served.hasChapters = !chapters.isEmpty
    let picture = ["jpg", "jpeg", "png"].map { "\(stem).\($0)" }.first { listing.files[$0] != nil }
    served.hasArtwork = picture != nil
    let cut = listing.files.keys.first {
      FolderReader.isCut($0) && $0.hasPrefix("\(stem).deadair.") && MediaType.audio($0) != nil
    }
    served.file = ServedFile(type: type, bytes: file.size, hasDeadAirCut: cut != nil)
    return FolderEntry(
      id: id, feed: feed, path: path, relativePath: relativePath, type: type,
      published: words?.published.flatMap(Timestamp.time) ?? tags.date ?? WallTime(microseconds: file.modified),
      version: version, served: served, chapters: chapters.isEmpty ? nil : chapters,
      artworkPath: picture.map { folder + "/" + $0 }, deadAirPath: cut.map { folder + "/" + $0 })
  }

  private var version: Int {
    let beside = listing.files.values
      .filter { $0.name == file.name || $0.name == "feed.json" || $0.name.hasPrefix("\(stem).") }
      .sorted { $0.name < $1.name }
    let text = beside.map { "\($0.name)/\($0.size)/\($0.modified)" }.joined(separator: "\n")
    return Int(truncatingIfNeeded: StableID.hash(text))
  }
}

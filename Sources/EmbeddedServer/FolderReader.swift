import Glibc
import Reactor

/// Reads a folder from the top: what has not changed since the reading before is taken from there.
struct FolderReader {
  let root: String
  let before: FolderReading
  /// Told of each folder before it is listed, so that it can be watched first and nothing slips in between.
  let entering: (String) -> Void

  /// Deeper than anyone sorts podcasts.
  private static let deepest = 12

  func read() -> FolderReading {
    var found = FolderReading()
    var seen = Set<FolderListing.Identity>()
    if let identity = FolderListing.identity(of: root) { seen.insert(identity) }
    visit("", depth: 0, &seen, into: &found)
    found.feeds.sort { ($0.folder ?? "", $0.title, $0.id) < ($1.folder ?? "", $1.title, $1.id) }
    return found
  }

  private func visit(
    _ relativePath: String, depth: Int, _ seen: inout Set<FolderListing.Identity>, into found: inout FolderReading
  ) {
    let path = relativePath.isEmpty ? root : root + "/" + relativePath
    entering(path)
    let listing = FolderListing(path, within: root)
    if listing.files.keys.contains(where: { MediaType.audio($0) != nil && !Self.isCut($0) }) {
      addFeed(relativePath, path, listing, into: &found)
    }
    guard depth < Self.deepest else { return }
    for (name, identity) in listing.folders where seen.insert(identity).inserted {
      visit(relativePath.isEmpty ? name : relativePath + "/" + name, depth: depth + 1, &seen, into: &found)
    }
  }

  private func addFeed(_ relativePath: String, _ path: String, _ listing: FolderListing, into found: inout FolderReading) {
    let words = listing.files["feed.json"].flatMap { _ in FeedWords(path + "/feed.json") }
    let parts = relativePath.split(separator: "/")
    let ownName = parts.last.map(String.init) ?? root.split(separator: "/").last.map(String.init) ?? root
    var feed = ServedFeed(id: StableID.feed(relativePath), title: words?.title ?? ownName, site: words?.site)
    if parts.count > 1 { feed.folder = parts.dropLast().joined(separator: "/") }
    if let cover = Self.cover(in: listing) {
      found.artwork[feed.id] = path + "/" + cover
      feed.hasArtwork = true
    }
    found.feeds.append(feed)
    for file in listing.files.values where !Self.isCut(file.name) {
      guard let type = MediaType.audio(file.name) ?? MediaType.video(file.name) else { continue }
      let reader = EntryReader(
        feed: feed.id, folder: path, relativePath: relativePath.isEmpty ? file.name : relativePath + "/" + file.name,
        file: file, type: type, listing: listing, words: words?.episodes[file.name])
      let entry = reader.read(before: before)
      found.entries[entry.id] = entry
    }
  }

  /// `NAME.deadair.mp3` is not an episode: it is NAME's with its silences cut.
  static func isCut(_ name: String) -> Bool { MediaType.stem(name).hasSuffix(".deadair") }

  private static func cover(in listing: FolderListing) -> String? {
    let known = ["cover.jpg", "cover.jpeg", "cover.png", "folder.jpg", "folder.jpeg", "folder.png"]
    return known.first { listing.files[$0] != nil }
      ?? listing.files.keys.filter { known.contains($0.lowercased()) }.min()
  }
}

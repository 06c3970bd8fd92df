/// `NAME.chapters.json`: JSON chapters as podcasts publish them (`{"chapters":[{"startTime":0,"title":"…"}]}`), or the
/// bare list the API answers (`[{"start":0,"title":"…"}]`).
struct ChaptersFile: Decodable {
  private struct Chapter: Decodable {
    var startTime: Double?
    var start: Double?
    var title: String?
    var toc: Bool?
  }

  private var chapters: [Chapter]

  /// In their order; nil where the file is not understood.
  static func read(_ path: String) -> [ServedChapter]? {
    guard let chapters = SmallFile.json(ChaptersFile.self, path)?.chapters ?? SmallFile.json([Chapter].self, path) else {
      return nil
    }
    return chapters.enumerated().compactMap { index, chapter -> ServedChapter? in
      guard let start = chapter.startTime ?? chapter.start, start.isFinite, start >= 0, chapter.toc != false else { return nil }
      return ServedChapter(start: start, title: chapter.title ?? "Chapter \(index + 1)")
    }.sorted { $0.start < $1.start }
  }
}

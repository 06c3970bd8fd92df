import Audio
import Reactor

/// Whether a file is only a part of what it should be: then its end is not the episode's, and its length is not learnt from it.
///
/// One witness is not enough. Feeds are often wrong about lengths, and headers sometimes (field rule 109); but two who agree with each
/// other against the bytes that are there are believed.
enum CutOff {
  /// Two who mean the same length differ by no more.
  static let agreement = 0.1
  /// The server's two words, of length and of size, must both tell more than twice what is there (advertisements come and go), …
  static let part = 0.5
  /// … and by about the same factor: the part of the length is the part of the size.
  static let likeness = 1.5

  /// The length of the whole, where `file` is only a part of it.
  /// - Parameters:
  ///   - feed: the server's word, in the time of the file.
  ///   - bytes: the server's word about the size.
  static func whole(of file: MediaDescription, feed: MediaTime?, bytes: Int64?) -> MediaTime? {
    guard let feed = feed?.seconds, feed > 0 else { return nil }
    if let claimed = file.claimed, abs(claimed.seconds - feed) <= agreement * feed { return claimed }
    guard let length = file.length?.seconds, length > 0, let there = file.bytes, there > 0, let bytes, bytes > 0 else {
      return nil
    }
    let (time, size) = (length / feed, Double(there) / Double(bytes))
    guard time < part, size < part, max(time, size) <= likeness * min(time, size) else { return nil }
    return MediaTime(seconds: feed)
  }
}

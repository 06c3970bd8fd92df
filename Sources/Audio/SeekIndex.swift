/// Where frames lie in a file whose frames say nothing of it: what was learnt while it sounded, so that the next time a seek lands there need be
/// no counting and no guessing. About 3 KB an hour as text.
public struct SeekIndex: Sendable, Equatable {
  public struct Mark: Sendable, Equatable {
    /// Of the frame's first byte.
    public var offset: Int64
    /// Of the frame, from the first one of sound on.
    public var frame: Int64

    public init(offset: Int64, frame: Int64) {
      self.offset = offset
      self.frame = frame
    }
  }

  /// The file's size: another size is another file.
  public var bytes: Int64
  /// Rising.
  public var marks: [Mark]

  public init(bytes: Int64, marks: [Mark]) {
    self.bytes = bytes
    self.marks = marks
  }

  private static let most = 20_000

  /// Differences of offsets and frames in base 36, for whoever keeps it.
  public var text: String {
    var last = Mark(offset: 0, frame: 0)
    var words = ["1", String(bytes)]
    for mark in marks.prefix(Self.most) {
      words.append(String(mark.offset - last.offset, radix: 36) + ":" + String(mark.frame - last.frame, radix: 36))
      last = mark
    }
    return words.joined(separator: " ")
  }

  /// Nil for what is none.
  public init?(text: String) {
    let words = text.split(separator: " ")
    guard (2...Self.most + 2).contains(words.count), words[0] == "1", let bytes = Int64(words[1]), bytes > 0 else {
      return nil
    }
    var marks: [Mark] = []
    var last = Mark(offset: 0, frame: 0)
    for word in words.dropFirst(2) {
      let parts = word.split(separator: ":")
      guard parts.count == 2, let offset = Int64(parts[0], radix: 36), let frame = Int64(parts[1], radix: 36), offset >= 0,
        frame >= 0, offset <= bytes - last.offset, frame <= bytes - last.frame
      else { return nil }
      last = Mark(offset: last.offset + offset, frame: last.frame + frame)
      marks.append(last)
    }
    self.init(bytes: bytes, marks: marks)
  }
}

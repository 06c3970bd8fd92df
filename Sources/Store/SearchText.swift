@_spi(_Unicode) import Swift

/// Text as the search index holds it: case and accents folded, marks that only help reading dropped (Arabic, Hebrew), full-width
/// letters narrowed, and what is written without spaces (Chinese, Japanese, Korean, Thai …) cut into overlapping pairs, so that
/// any part of it can be found. The same pass makes the index and the query, so they always agree.
public enum SearchText {
  enum Token: Equatable {
    case word(String)
    /// A stretch of a script without spaces.
    case run([Unicode.Scalar])
    case symbol(Unicode.Scalar)
  }

  /// For the index: tokens with spaces between.
  static func indexed(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count + text.utf8.count / 4)
    tokenize(text) { token in
      switch token {
      case .word(let word): result += word
      case .symbol(let scalar): result.unicodeScalars.append(scalar)
      case .run(let scalars):
        for index in scalars.indices {
          result.unicodeScalars.append(scalars[index])
          if index + 1 < scalars.count { result.unicodeScalars.append(scalars[index + 1]) }
          result.unicodeScalars.append(" ")
        }
      }
      result.unicodeScalars.append(" ")
    }
    return result
  }

  /// For sorting and comparing titles: words with one space between.
  public static func folded(_ text: String) -> String {
    parts(text).joined(separator: " ")
  }

  /// The words (or stretches) of a title or a query, folded.
  static func parts(_ text: String) -> [String] {
    var result: [String] = []
    tokenize(text) { token in
      switch token {
      case .word(let word): result.append(word)
      case .symbol(let scalar): result.append(String(Character(scalar)))
      case .run(let scalars):
        var run = ""
        run.unicodeScalars.append(contentsOf: scalars)
        result.append(run)
      }
    }
    return result
  }

  /// An FTS5 expression that finds entries with all the words of `text`, each as the beginning of a word; nil when there are none.
  /// - Parameter words: those in the index that begin so, where they are few: named one by one they are found at once, while a
  ///   beginning of more than four letters would have to be put together.
  static func expression(_ text: String, words: (String) -> [String]? = { _ in nil }) -> String? {
    var terms: [String] = []
    tokenize(text) { token in
      guard terms.count < maximumTerms else { return }
      switch token {
      case .word(let word):
        // One letter begins half of all words there are: it stands for itself. Beginnings up to four letters are in the index.
        let length = word.unicodeScalars.count
        if length == 1 {
          terms.append("\"\(word)\"")
        } else if length > 4, let words = words(word) {
          let all = words.map { "\"\($0)\"" }
          // A beginning of nothing is a word that is not there.
          terms.append(all.count > 1 ? "(\(all.joined(separator: " OR ")))" : all.first ?? "\"\(word)\"")
        } else {
          terms.append("\"\(word)\"*")
        }
      case .symbol(let scalar): terms.append("\"\(scalar)\"")
      case .run(let scalars):
        guard scalars.count > 1 else { return terms.append("\"\(scalars[0])\"*") }
        // Each pair for itself: the index knows no order, and all pairs of a stretch seldom stand apart.
        for (first, second) in zip(scalars, scalars.dropFirst()).prefix(maximumTerms) { terms.append("\"\(first)\(second)\"") }
      }
    }
    return terms.isEmpty ? nil : terms.joined(separator: " AND ")
  }

  private static let maximumTerms = 16

  // MARK: Tokens

  static func tokenize(_ text: String, _ emit: (Token) -> Void) {
    var word = ""
    var run: [Unicode.Scalar] = []
    func endWord() {
      guard !word.isEmpty else { return }
      emit(.word(word))
      word = ""
    }
    func endRun() {
      guard !run.isEmpty else { return }
      emit(.run(run))
      run = []
    }
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        endRun()
        switch scalar.value {
        case 0x61...0x7a, 0x30...0x39: word.unicodeScalars.append(scalar)
        case 0x41...0x5a: word.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value + 32)))
        default: endWord()
        }
        continue
      }
      if isWrittenWithoutSpaces(scalar.value) {
        endWord()
        run.append(scalar)
        continue
      }
      switch kind(of: scalar) {
      case .dropped: continue
      case .separator:
        endWord()
        endRun()
      case .symbol:
        endWord()
        endRun()
        emit(.symbol(scalar))
      case .letter:
        endRun()
        fold(scalar, into: &word)
      }
    }
    endWord()
    endRun()
  }

  private enum Kind { case letter, symbol, separator, dropped }

  private static func kind(of scalar: Unicode.Scalar) -> Kind {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber, .letterNumber,
      .otherNumber, .spacingMark, .privateUse:
      .letter
    case .nonspacingMark, .enclosingMark:
      // Vowel signs of Indic scripts are marks too, and part of the word.
      isDropped(scalar) || isVariationSelector(scalar.value) ? .dropped : .letter
    case .otherSymbol: .symbol
    case .format: .dropped
    default: .separator
    }
  }

  private static func fold(_ scalar: Unicode.Scalar, into word: inout String) {
    if (0xff01...0xff5e).contains(scalar.value) {
      // Full-width forms of ASCII.
      let narrow = Unicode.Scalar(UInt8(scalar.value - 0xff01 + 0x21))
      word += narrow.properties.lowercaseMapping
      return
    }
    var plain = ""
    for part in String(scalar)._nfd where !isDropped(part) { plain.unicodeScalars.append(part) }
    // Up, then down: ß and ss, ς and σ become one.
    for part in plain.unicodeScalars {
      for upper in part.properties.uppercaseMapping.unicodeScalars {
        for lower in upper.properties.lowercaseMapping.unicodeScalars where !isDropped(lower) {
          word.unicodeScalars.append(lower)
        }
      }
    }
  }

  /// Accents and points; not the signs that make another letter (nukta 7, kana voicing 8, virama 9).
  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    let combining = scalar.properties.canonicalCombiningClass.rawValue
    return combining >= 10 || combining == 1
  }

  private static func isVariationSelector(_ value: UInt32) -> Bool {
    (0xfe00...0xfe0f).contains(value) || (0xe0100...0xe01ef).contains(value)
  }

  private static func isWrittenWithoutSpaces(_ value: UInt32) -> Bool {
    switch value {
    case 0x0e01...0x0e4e, 0x0e81...0x0ecd, 0x1000...0x109f, 0x1780...0x17d3: true  // Thai, Lao, Myanmar, Khmer
    case 0x3005...0x3007, 0x3041...0x309f, 0x30a1...0x30fa, 0x30fc...0x30ff, 0x31f0...0x31ff, 0xff66...0xff9f: true  // kana
    case 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0x20000...0x3ffff: true  // ideographs
    case 0xac00...0xd7a3: true  // Hangul
    default: false
    }
  }
}

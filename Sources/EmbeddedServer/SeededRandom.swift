/// Numbers and words that are the same every time (splitmix64).
struct SeededRandom {
  private(set) var state: UInt64

  init(_ seed: UInt64, _ salt: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 ^ salt &* 0xBF58_476D_1CE4_E5B9
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func next(below bound: Int) -> Int {
    Int(next() % UInt64(max(1, bound)))
  }

  mutating func title() -> String {
    (0..<(2 + next(below: 3))).map { _ in word() }.joined(separator: " ")
  }

  mutating func sentence(_ words: Int) -> String {
    (0..<words).map { _ in word() }.joined(separator: " ") + "."
  }

  private mutating func word() -> String { Self.words[next(below: Self.words.count)] }

  private static let words = [
    "amber", "bridge", "copper", "Dämmerung", "east", "forêt", "garden", "harbour", "İstanbul", "junction", "kettle", "lantern",
    "meadow", "niño", "orchard", "paper", "quarry", "river", "señal", "tram", "umbrella", "valley", "winter", "xylophone",
    "yard", "zinc", "москва", "море", "東京", "音楽", "서울", "سلام", "قهوة", "שלום", "α-wave", "café", "🎧", "night", "signal",
    "weather",
  ]
}

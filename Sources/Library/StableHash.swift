extension String {
  /// FNV-1a, 64 bits, of the UTF-8: a number that stays the same in any run and on any machine, for what is kept under it.
  var stableHash: UInt64 {
    utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}

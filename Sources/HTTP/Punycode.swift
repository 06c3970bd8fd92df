/// The ASCII form of a label in another script (RFC 3492); without the `xn--` before it.
public enum Punycode {
  private static let base: UInt32 = 36
  private static let (tmin, tmax): (UInt32, UInt32) = (1, 26)

  /// Nil when the label is too long to be one.
  public static func encode(_ label: some StringProtocol) -> String? {
    let points = label.unicodeScalars.map(\.value)
    guard points.count <= 63 else { return nil }
    var output = points.filter { $0 < 0x80 }.compactMap(Unicode.Scalar.init).reduce(into: "") { $0.unicodeScalars.append($1) }
    let basic = UInt32(output.unicodeScalars.count)
    if basic > 0 { output += "-" }

    var handled = basic
    var (n, delta, bias): (UInt32, UInt32, UInt32) = (128, 0, 72)
    while handled < points.count {
      // The least code point that is not handled yet. There is one, and 63 points cannot overflow 32 bits.
      guard let next = points.filter({ $0 >= n }).min() else { return nil }
      delta += (next - n) * (handled + 1)
      n = next
      for point in points {
        if point < n { delta += 1 }
        guard point == n else { continue }
        append(delta, bias: bias, to: &output)
        bias = adapt(delta, count: handled + 1, isFirst: handled == basic)
        delta = 0
        handled += 1
      }
      delta += 1
      n += 1
    }
    return output
  }

  /// One delta as a variable-length integer (RFC 3492, 6.3).
  private static func append(_ delta: UInt32, bias: UInt32, to output: inout String) {
    var (rest, k) = (delta, base)
    while true {
      let threshold = k <= bias ? tmin : min(tmax, k - bias)
      if rest < threshold { break }
      output.unicodeScalars.append(digit(threshold + (rest - threshold) % (base - threshold)))
      rest = (rest - threshold) / (base - threshold)
      k += base
    }
    output.unicodeScalars.append(digit(rest))
  }

  private static func digit(_ value: UInt32) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(value < 26 ? value + 97 : value - 26 + 48))
  }

  private static func adapt(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
    var (delta, k) = (isFirst ? delta / 700 : delta / 2, UInt32(0))
    delta += delta / count
    while delta > (base - tmin) * tmax / 2 {
      delta /= base - tmin
      k += base
    }
    return k + (base - tmin + 1) * delta / (delta + 38)
  }
}

import FoundationEssentials
import Reactor

/// JSON read as `ipx-api.md` wants it: `camelCase` and `snake_case`, ids as numbers or strings, dates in two forms, unknown fields
/// ignored, a field of the wrong kind taken as absent.
struct Fields {
  private let container: KeyedDecodingContainer<AnyKey>

  init(_ decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: AnyKey.self)
  }

  private func value<T>(_ names: [StaticString], _ read: (AnyKey) -> T?) -> T? {
    for name in names {
      let text = name.description
      if let value = read(AnyKey(text)) { return value }
      let snake = Self.snake(text)
      if snake != text, let value = read(AnyKey(snake)) { return value }
    }
    return nil
  }

  func text(_ names: StaticString...) -> String? {
    value(names) { key in (try? container.decodeIfPresent(String.self, forKey: key)) ?? nil }
  }

  /// A string, or a whole number as one.
  func id(_ names: StaticString...) -> String? {
    value(names) { key in
      if let text = try? container.decode(String.self, forKey: key) { return text.isEmpty ? nil : text }
      if let number = try? container.decode(Int64.self, forKey: key) { return String(number) }
      if let number = try? container.decode(UInt64.self, forKey: key) { return String(number) }
      return nil
    }
  }

  func number(_ names: StaticString...) -> Double? {
    value(names) { key in
      if let number = try? container.decode(Double.self, forKey: key), number.isFinite { return number }
      if let text = try? container.decode(String.self, forKey: key), let number = Double(text), number.isFinite { return number }
      return nil
    }
  }

  func count(_ names: StaticString...) -> Int64? {
    value(names) { key in
      if let number = try? container.decode(Int64.self, forKey: key) { return max(0, number) }
      if let number = try? container.decode(Double.self, forKey: key) {
        return Int64(exactly: number.rounded()).map { max(0, $0) }
      }
      return (try? container.decode(String.self, forKey: key)).flatMap { Int64($0) }.map { max(0, $0) }
    }
  }

  func flag(_ names: StaticString...) -> Bool? {
    value(names) { key in
      if let flag = try? container.decode(Bool.self, forKey: key) { return flag }
      if let number = try? container.decode(Int64.self, forKey: key) { return number != 0 }
      return (try? container.decode(String.self, forKey: key)).map { ["true", "yes", "1"].contains($0.lowercased()) }
    }
  }

  func date(_ names: StaticString...) -> WallTime? {
    value(names) { key in
      if let number = try? container.decode(Double.self, forKey: key), number.isFinite { return WallTime(unixSeconds: number) }
      guard let text = try? container.decode(String.self, forKey: key) else { return nil }
      return ISO8601.time(text) ?? Double(text).flatMap { $0.isFinite ? WallTime(unixSeconds: $0) : nil }
    }
  }

  /// Seconds, never negative; nil where there is none.
  func seconds(_ names: StaticString...) -> MediaTime? {
    value(names) { key in
      let number =
        (try? container.decode(Double.self, forKey: key))
        ?? (try? container.decode(String.self, forKey: key)).flatMap { Double($0) }
      guard let number, number.isFinite, number >= 0, number < 1e9 else { return nil }
      return MediaTime(seconds: number)
    }
  }

  func list<T: Decodable>(_ names: StaticString..., of type: T.Type) -> LossyList<T>? {
    value(names) { key in try? container.decode(LossyList<T>.self, forKey: key) }
  }

  private static func snake(_ text: String) -> String {
    guard text.utf8.contains(where: { (0x41...0x5a).contains($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if (0x41...0x5a).contains(scalar.value) {
        result += "_"
        result.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value + 32)))
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

struct AnyKey: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }

  init(_ text: String) { stringValue = text }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A list of which one bad item does not lose the others.
struct LossyList<Element: Decodable>: Decodable {
  var elements: [Element] = []
  var skipped = 0

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    while !list.isAtEnd {
      if let element = try list.decode(Attempt<Element>.self).value { elements.append(element) } else { skipped += 1 }
    }
  }
}

private struct Attempt<Value: Decodable>: Decodable {
  var value: Value?
  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

import DBus
import Reactor

/// The arguments of a call, whose types the DBus module has checked against the interface's XML.
struct Arguments: Sendable {
  private let values: [DBusValue]

  init(_ values: [DBusValue]) { self.values = values }

  func text(_ index: Int) -> String { value(index)?.asString ?? "" }
  func count(_ index: Int) -> Int { value(index)?.asUInt32.map(Int.init) ?? 0 }
  func truth(_ index: Int) -> Bool { value(index)?.asBool ?? false }
  func time(_ index: Int) -> MediaTime { MediaTime(microseconds: value(index)?.asInt64 ?? 0) }

  private func value(_ index: Int) -> DBusValue? { values.indices.contains(index) ? values[index] : nil }
}

extension DBusValue {
  /// A `u`; what does not fit is its greatest.
  static func count(_ count: Int) -> DBusValue { .uint32(UInt32(clamping: count)) }
}

/// AVRCP 1.6.2, 6.7.2: who is to be told of what. Each registration is good for one CHANGED, under the label it came with.
struct NotificationRegistry {
  struct Registration: Equatable {
    var label: UInt8
    /// What the controller was told last.
    var value: NotificationValue
  }

  private(set) var registrations: [EventID: Registration] = [:]
  /// What was last said of the lists that an event names without a value. A change that comes between CHANGED and the next
  /// registration is made up for with it.
  private var told: [EventID: UInt64] = [:]

  var isEmpty: Bool { registrations.isEmpty }

  func contains(_ event: EventID) -> Bool { registrations[event] != nil }

  /// A second registration of an event takes the place of the first.
  mutating func register(_ event: EventID, label: UInt8, value: NotificationValue) {
    registrations[event] = Registration(label: label, value: value)
  }

  /// Ends a registration whose value is another one now.
  /// - Returns: the label to answer under, or nil when there is nothing to say.
  mutating func complete(_ event: EventID, with value: NotificationValue) -> UInt8? {
    guard let registration = registrations[event], registration.value != value else { return nil }
    return end(event)
  }

  /// Ends a registration because the event happened.
  mutating func end(_ event: EventID) -> UInt8? {
    registrations.removeValue(forKey: event)?.label
  }

  /// - Returns: true when the list was another one when it was last spoken of; it counts as spoken of now.
  mutating func isNews(_ event: EventID, revision: UInt64) -> Bool {
    defer { told[event] = revision }
    return told[event].map { $0 != revision } ?? false
  }

  mutating func forgetTold(_ event: EventID) { told[event] = nil }
}

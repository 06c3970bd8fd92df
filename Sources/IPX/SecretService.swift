import DBus
import Reactor

/// The desktop's keyring, by the few calls that we need of it (freedesktop.org Secret Service API, draft 0.2). Secrets cross
/// the user's own bus as they are: the session algorithm is `plain`.
struct SecretService: Sendable {
  let bus: DBusConnection

  private static let name = "org.freedesktop.secrets"
  private static let root: ObjectPath = "/org/freedesktop/secrets"
  private static let defaultCollection: ObjectPath = "/org/freedesktop/secrets/aliases/default"
  private static let service = "org.freedesktop.Secret.Service"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let item = "org.freedesktop.Secret.Item"
  private static let prompt = "org.freedesktop.Secret.Prompt"
  /// A keyring answers at once, or is being started.
  private static let patience = Duration.seconds(8)
  /// How long somebody may look for the keyring's password.
  private static let humanPatience = Duration.seconds(120)

  /// What is kept under exactly these attributes; nil where nothing is. `asking`: whether a locked keyring may ask its owner.
  func lookUp(_ attributes: [(String, String)], asking: Bool) async throws(CredentialError) -> String? {
    let found = try await call(Self.root, Self.service, "SearchItems", [Self.dictionary(attributes)])
    guard found.count == 2, var items = paths(found[0]), let locked = paths(found[1]) else { throw Self.strange }
    if items.isEmpty, !locked.isEmpty {
      try await unlock(locked, asking: asking)
      items = locked
    }
    guard let path = items.first else { return nil }
    return try await inSession { session throws(CredentialError) in
      let answer = try await call(path, Self.item, "GetSecret", [.objectPath(session)])
      guard case .structure(let fields)? = answer.first, fields.count == 4, let bytes = fields[2].asBytes else {
        throw Self.strange
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Keeps `secret` under these attributes, in place of what is there.
  func keep(_ secret: String, _ attributes: [(String, String)], label: String, asking: Bool) async throws(CredentialError) {
    try await unlock([Self.defaultCollection], asking: asking)
    try await inSession { session throws(CredentialError) in
      let properties = DBusValue.vardict([
        (Self.item + ".Label", .string(label)), (Self.item + ".Attributes", Self.dictionary(attributes)),
      ])
      let value = DBusValue.structure([
        .objectPath(session), .bytes([]), .bytes(secret.utf8), .string("text/plain; charset=utf8"),
      ])
      let answer = try await call(
        Self.defaultCollection, Self.collection, "CreateItem", [properties, value, .boolean(true)])
      guard answer.count == 2, let path = answer[1].asObjectPath else { throw Self.strange }
      try await answerPrompt(path, asking: asking)
    }
  }

  /// Ends with the bus; a value for each change of any kept item.
  func changes() async -> AsyncStream<DBusMessage>? {
    try? await bus.signals(sender: Self.name, interface: Self.collection)
  }

  // MARK: Steps

  private func inSession<Value: Sendable>(
    _ body: (ObjectPath) async throws(CredentialError) -> Value
  ) async throws(CredentialError) -> Value {
    let opened = try await call(Self.root, Self.service, "OpenSession", [.string("plain"), .variant(.string(""))])
    guard opened.count == 2, let session = opened[1].asObjectPath else { throw Self.strange }
    defer { bus.tell(Self.name, session, "org.freedesktop.Secret.Session", "Close") }
    return try await body(session)
  }

  private func unlock(_ paths: [ObjectPath], asking: Bool) async throws(CredentialError) {
    let answer = try await call(Self.root, Self.service, "Unlock", [.objectPaths(paths)])
    guard answer.count == 2, let path = answer[1].asObjectPath else { throw Self.strange }
    try await answerPrompt(path, asking: asking)
  }

  /// Waits until the owner has answered the keyring's own window; without asking, the keyring stays locked.
  private func answerPrompt(_ path: ObjectPath, asking: Bool) async throws(CredentialError) {
    guard path.text != "/" else { return }
    let locked = CredentialError(.locked, "The keyring is locked: open it, or log in to the desktop.")
    guard asking, let answers = try? await bus.signals(path: path, interface: Self.prompt, member: "Completed") else {
      bus.tell(Self.name, path, Self.prompt, "Dismiss")
      throw locked
    }
    _ = try await call(path, Self.prompt, "Prompt", [.string("")])
    let patience = Task {
      try await SystemTimekeeper().sleep(for: Self.humanPatience)
      bus.tell(Self.name, path, Self.prompt, "Dismiss")
    }
    defer { patience.cancel() }
    for await answer in answers {
      guard answer.arguments.first?.asBool == false else { throw locked }
      return
    }
    throw CredentialError(.noService, "The keyring ended while it was asked.")
  }

  private func call(
    _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]
  ) async throws(CredentialError) -> [DBusValue] {
    do {
      return try await bus.call(Self.name, path, interface, member, arguments, timeout: Self.patience)
    } catch {
      throw CredentialError(.noService, "The keyring does not answer: \(error)")
    }
  }

  private func paths(_ value: DBusValue) -> [ObjectPath]? { value.asArray?.compactMap(\.asObjectPath) }

  private static func dictionary(_ entries: [(String, String)]) -> DBusValue {
    .dictionary(key: "s", value: "s", entries.map { DBusEntry(.string($0.0), .string($0.1)) })
  }

  private static let strange = CredentialError(.noService, "The keyring answers in a way that is not the Secret Service's.")
}

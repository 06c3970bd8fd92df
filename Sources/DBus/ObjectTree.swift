/// What is exported where. Confined to the connection's thread.
struct ObjectTree {
  struct Member {
    let answerer: any DBusInterface
    let description: InterfaceDescription
    let reads: Set<String>
    let slow: Set<String>

    init(answerer: any DBusInterface, description: InterfaceDescription) {
      (self.answerer, self.description) = (answerer, description)
      (reads, slow) = (type(of: answerer).reads, type(of: answerer).slow)
    }
  }

  /// An exported object; its interfaces in the order they were given.
  struct Object {
    var members: [Member]
    private let byName: [String: Int]

    init(_ members: [Member]) {
      self.members = members
      byName = Dictionary(members.enumerated().map { ($1.description.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func member(_ interface: String) -> Member? { byName[interface].map { members[$0] } }
  }

  private var objects: [String: Object] = [:]

  mutating func export(_ path: ObjectPath, _ members: [Member]) { objects[path.text] = Object(members) }
  mutating func unexport(_ path: ObjectPath) { objects[path.text] = nil }
  mutating func removeAll() { objects = [:] }

  func object(_ path: String) -> Object? { objects[path] }

  /// The names of the nodes right under `path`, sorted.
  func children(of path: String) -> [String] {
    let prefix = path == "/" ? "/" : path + "/"
    let names = objects.keys.compactMap { key -> Substring? in
      guard key != path, key.hasPrefix(prefix) else { return nil }
      return key.dropFirst(prefix.count).prefix { $0 != "/" }
    }
    return Set(names).map(String.init).sorted()
  }
}

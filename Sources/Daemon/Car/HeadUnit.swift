import AVRCP
import CLinux
import CommandLine
import DBus
import Glibc
import Reactor

/// A head unit without a car: an AVRCP controller over socket pairs to the running daemon. It knows only what the bytes tell it.
actor HeadUnit {
  struct Row: Sendable, Equatable {
    var uid: UInt64
    var name: String
    var isFolder: Bool
    var length: String?
  }

  /// What it shows.
  struct Face: Sendable, Equatable {
    var player = ""
    /// Whose list is shown: another one may play.
    var browsed = ""
    var title = ""
    var show = ""
    var album = ""
    var status = PlayStatus.stopped
    /// Milliseconds.
    var position: UInt32?
    var length: UInt32?
    /// Names of the folders that were entered.
    var path: [String] = []
    var isSearch = false
    var rows: [Row] = []
    var first = 0
    var total = 0
    var message = ""
  }

  private let controller = AVRCPController()
  private let client: CarClient
  private let height: Int
  private var session: UInt32?
  private(set) var face = Face()
  private var uidCounter: UInt16 = 0
  private var playerID: UInt16 = 1
  private var scope = Scope.virtualFilesystem
  private var registered: Set<EventID> = []
  private var browsedID: UInt16?
  /// One element whenever the face is another.
  nonisolated let changes = Broadcast<Void>()

  static let controlMTU = 672
  static let browsingMTU = 1008

  init(_ client: CarClient, rows: Int) {
    self.client = client
    height = rows
  }

  // MARK: The link

  /// Connects as a car does: channels, capabilities, notifications, the browsed player, the first list.
  func connect() async throws {
    let control = try Self.pair()
    let browsing = try Self.pair()
    session = try await client.attach(
      [control.theirs, browsing.theirs],
      [
        ("version", .string("1.6")), ("features", .uint16(0x00C1)), ("controlMTU", .uint16(UInt16(Self.controlMTU))),
        ("browsingMTU", .uint16(UInt16(Self.browsingMTU))),
      ])
    await controller.open(
      control: DatagramChannel(descriptor: control.ours, incomingMTU: Self.controlMTU, outgoingMTU: Self.controlMTU),
      browsing: DatagramChannel(descriptor: browsing.ours, incomingMTU: Self.browsingMTU, outgoingMTU: Self.browsingMTU))
    for event in try await controller.supportedEvents() { try await register(event) }
    try await choosePlayer()
    try await readTrack()
  }

  func close() async { await controller.close() }

  private static func pair() throws -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw CommandError.refused("No socket pair: \(String(cString: strerror(errno))).")
    }
    return (ends[0], ends[1])
  }

  /// Until the channel ends.
  func follow() async {
    for await event in controller.events {
      do {
        try await take(event)
      } catch {
        face.message = "\(error)"
      }
      changes.send(())
    }
  }

  // MARK: What it is told

  private func register(_ event: EventID) async throws {
    do {
      let value = try await controller.register(event, interval: event == .playbackPosChanged ? 1 : 0)
      registered.insert(event)
      try await takeValue(value)
    } catch ControllerError.rejected {
      // Nothing that the player addressed now has: asked for again when another one is.
      registered.remove(event)
    }
  }

  private func take(_ event: ControllerEvent) async throws {
    switch event {
    case .playbackStatus: try await register(.playbackStatusChanged)
    case .track:
      try await register(.trackChanged)
      try await readTrack()
    case .reachedEnd: try await register(.trackReachedEnd)
    case .reachedStart: try await register(.trackReachedStart)
    case .position: try await register(.playbackPosChanged)
    case .battery: try await register(.battStatusChanged)
    case .settings: try await register(.playerApplicationSettingChanged)
    case .nowPlayingContent: try await register(.nowPlayingContentChanged)
    case .availablePlayers: try await register(.availablePlayersChanged)
    case .addressedPlayer:
      try await register(.addressedPlayerChanged)
      try await choosePlayer()
      try await readTrack()
      // What the one before did not have: settings are of one player and not of another.
      for event in try await controller.supportedEvents() where !registered.contains(event) { try await register(event) }
    case .uids(let counter):
      uidCounter = counter
      try await register(.uidsChanged)
      try await reload()
    // Another player was addressed: everything is asked for anew.
    case .rejected(let event, _): try await register(event)
    case .malformed(let event): face.message = "a malformed answer to \(event)"
    }
  }

  private func takeValue(_ value: ControllerEvent) async throws {
    switch value {
    case .playbackStatus(let status):
      face.status = status
      try await readStatus()
    case .position(let position): face.position = position
    case .addressedPlayer(let id, _): playerID = id
    case .uids(let counter): uidCounter = counter
    default: break
    }
  }

  private func readTrack() async throws {
    let attributes = try await controller.elementAttributes()
    face.title = attributes[1] ?? ""
    face.show = attributes[2] ?? ""
    face.album = attributes[3] ?? ""
    try await readStatus()
  }

  private func readStatus() async throws {
    let status = try await controller.playStatus()
    face.status = status.status
    face.position = status.position
    face.length = status.length
  }

  /// The addressed player's lines are shown. Its list is too, where it has one; else the list stays, or is the first player's that has.
  private func choosePlayer() async throws {
    var browsable: [(id: UInt16, name: String)] = []
    for item in try await controller.allItems(.mediaPlayerList) {
      guard case .player(let id, let name, _, _, let features) = item else { continue }
      if id == playerID { face.player = name }
      if features.contains(.browsing) { browsable.append((id, name)) }
    }
    let chosen = browsable.first { $0.id == playerID } ?? browsable.first { $0.id == browsedID } ?? browsable.first
    guard let chosen, chosen.id != browsedID else { return }
    uidCounter = try await controller.setBrowsedPlayer(chosen.id).uidCounter
    browsedID = chosen.id
    face.browsed = chosen.name
    scope = .virtualFilesystem
    face.path = []
    face.isSearch = false
    try await show(from: 0)
  }

  // MARK: Lists

  /// The page of the list that begins at `row`.
  func show(from row: Int) async throws {
    let answer = try await controller.totalNumberOfItems(scope)
    uidCounter = answer.uidCounter
    face.total = Int(answer.items)
    face.first = max(0, min(row, face.total - 1))
    face.rows = []
    while face.first + face.rows.count < face.total, face.rows.count < height {
      let start = UInt32(face.first + face.rows.count)
      let page = try await controller.folderItems(scope, from: start, to: UInt32(face.first + height - 1))
      guard !page.items.isEmpty else { break }
      face.rows += page.items.compactMap(Self.row)
    }
    changes.send(())
  }

  private static func row(_ item: ControllerItem) -> Row? {
    switch item {
    case .player: nil
    case .folder(let uid, _, _, let name): Row(uid: uid, name: name, isFolder: true)
    case .element(let uid, let name, let attributes): Row(uid: uid, name: name, isFolder: false, length: attributes[7])
    }
  }

  /// The lists are others now: the same page again.
  private func reload() async throws { try await show(from: face.first) }

  /// Enters a folder, plays an episode: row `index` of what is shown.
  func choose(_ index: Int) async throws {
    guard face.rows.indices.contains(index) else { throw CommandError.refused("There is no row \(index + 1) here.") }
    let row = face.rows[index]
    if row.isFolder {
      _ = try await controller.changePath(.down, row.uid, uidCounter: uidCounter)
      face.path.append(row.name)
      try await show(from: 0)
    } else {
      try await controller.play(row.uid, scope: scope, uidCounter: uidCounter)
    }
  }

  func up() async throws {
    if face.isSearch {
      scope = .virtualFilesystem
      face.isSearch = false
    } else {
      guard !face.path.isEmpty else { return }
      _ = try await controller.changePath(.up, uidCounter: uidCounter)
      face.path.removeLast()
    }
    try await show(from: 0)
  }

  func search(_ text: String) async throws {
    uidCounter = try await controller.search(text).uidCounter
    scope = .search
    face.isSearch = true
    try await show(from: 0)
  }

  // MARK: Keys

  func tap(_ key: OperationID) async throws { try await controller.tap(key) }
  func tap(_ key: GroupNavigation) async throws { try await controller.tap(key) }
  func press(_ key: OperationID) async throws { try await controller.press(key) }
  func release(_ key: OperationID) async throws { try await controller.release(key) }

  /// Asks where everything stands: for whoever does not follow the events.
  func refresh() async throws { try await readTrack() }
  func say(_ message: String) { face.message = message }
}

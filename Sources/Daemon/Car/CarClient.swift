import Car
import CommandLine
import DBus

/// The running daemon's car object.
struct CarClient: Sendable {
  let daemon: DaemonClient
  private static let interface = "net.sdf1.ipodderx.Car1"

  init() async throws(CommandError) { daemon = try await DaemonClient.connect() }
  init(_ daemon: DaemonClient) { self.daemon = daemon }

  func status() async throws(CommandError) -> [String: DBusValue] {
    try await call("Status").first?.asDictionary ?? [:]
  }

  /// Hands the descriptors over: they are the daemon's from then on.
  func attach(_ descriptors: [Int32], _ options: [(String, DBusValue)]) async throws(CommandError) -> UInt32 {
    let channels = descriptors.map { DBusValue.unixFD(DBusDescriptor(owning: $0)) }
    let answer = try await call("AttachTarget", .array(element: "h", channels), .vardict(options))
    guard let session = answer.first?.asUInt32 else { throw .refused("The player gave no session.") }
    return session
  }

  /// What tells of ended sessions; listened to before one is begun.
  func endings() async throws(CommandError) -> AsyncStream<UInt32> {
    do {
      let signals = try await daemon.connection.signals(
        sender: daemon.name, path: CarFace.path, interface: Self.interface, member: "Ended")
      let bus = "org.freedesktop.DBus"
      let owners = try await daemon.connection.signals(sender: bus, interface: bus, member: "NameOwnerChanged", arg0: daemon.name)
      let (stream, sink) = AsyncStream.makeStream(of: UInt32.self)
      Task {
        for await signal in signals { if let session = signal.arguments.first?.asUInt32 { sink.yield(session) } }
        sink.finish()
      }
      Task {
        for await signal in owners where signal.arguments.last?.asString?.isEmpty != false { break }
        sink.finish()
      }
      return stream
    } catch {
      throw .refused(error.description)
    }
  }

  private func call(_ method: String, _ arguments: DBusValue...) async throws(CommandError) -> [DBusValue] {
    do {
      return try await daemon.connection.call(daemon.name, CarFace.path, Self.interface, method, arguments)
    } catch {
      throw .refused(error.description)
    }
  }
}

import AVRCP
import DBus

/// `net.sdf1.ipodderx.Car1` on our own connection: for `car target`, `car simulate` and `car status`, and no one else's business.
final class CarInterface: DBusInterface {
  static let name = "net.sdf1.ipodderx.Car1"
  static let xml = CarXML.text

  private let face: CarFace

  init(_ face: CarFace) { self.face = face }

  func property(_ name: String) -> DBusValue? { nil }
  func setProperty(_ name: String, _ value: DBusValue, reply: DBusReply) { reply.fail(.unknownProperty(name)) }

  func call(_ method: String, _ arguments: [DBusValue], from sender: String, reply: DBusReply) {
    let face = face
    switch method {
    case "AttachTarget":
      let channels = (arguments[0].asArray ?? []).compactMap { value -> DBusDescriptor? in
        if case .unixFD(let descriptor) = value { descriptor } else { nil }
      }
      let options = arguments[1].asDictionary ?? [:]
      guard (1...2).contains(channels.count) else {
        return reply.fail(.invalidArgs("The control channel is needed, and the browsing channel may follow it; nothing else."))
      }
      Task {
        do throws(DBusError) {
          reply(.uint32(try await face.attach(channels, try AttachedPeer(options), from: sender)))
        } catch {
          reply.fail(error)
        }
      }
    case "Detach":
      let number = arguments[0].asUInt32 ?? 0
      Task {
        await face.detach(number)
        reply()
      }
    case "Status": Task { reply(await face.status()) }
    default: reply.fail(.unknownMethod(method))
    }
  }
}

/// What whoever attaches a target says of the other end.
struct AttachedPeer: Sendable {
  var peer: PeerDescription
  var controlMTU: Int
  var browsingMTU: Int

  /// What is not said is as a car of today has it; what is said must be what it can be.
  init(_ options: [String: DBusValue]) throws(DBusError) {
    func number(_ name: String, _ usual: UInt16, atLeast least: UInt16 = 0) throws(DBusError) -> UInt16 {
      guard let value = options[name] else { return usual }
      guard let number = value.asUInt16, number >= least else { throw .invalidArgs("\(name) is a q of at least \(least).") }
      return number
    }
    var version = ProfileVersion.v16
    if let said = options["version"] {
      guard let known = said.asString.flatMap(ProfileVersion.init) else { throw .invalidArgs("version is an s, 1.0 to 1.6.") }
      version = known
    }
    peer = PeerDescription(
      version: version, features: ServiceFeatures(rawValue: try number("features", 0x00C3)),
      // A controller's category 2 means volume keys; a volume of its own that we could set, only its target record offers.
      targetFeatures: ServiceFeatures(rawValue: try number("targetFeatures", 0)))
    // The least that an L2CAP channel may have.
    controlMTU = Int(try number("controlMTU", 672, atLeast: 48))
    browsingMTU = Int(try number("browsingMTU", 1008, atLeast: 48))
  }
}

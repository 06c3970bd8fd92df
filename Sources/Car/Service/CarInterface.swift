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
      let peer = AttachedPeer(arguments[1].asDictionary ?? [:])
      guard (1...2).contains(channels.count) else {
        return reply.fail(.invalidArgs("The control channel is needed, and the browsing channel may follow it; nothing else."))
      }
      Task {
        do throws(DBusError) {
          reply(.uint32(try await face.attach(channels, peer, from: sender)))
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

  init(_ options: [String: DBusValue]) {
    let version = options["version"]?.asString.flatMap(ProfileVersion.init) ?? .v16
    let features = ServiceFeatures(rawValue: options["features"]?.asUInt16 ?? 0x00C3)
    // A controller's category 2 means volume keys; a volume of its own that we could set, only its target record offers.
    let targetFeatures = ServiceFeatures(rawValue: options["targetFeatures"]?.asUInt16 ?? 0)
    peer = PeerDescription(version: version, features: features, targetFeatures: targetFeatures)
    controlMTU = Int(options["controlMTU"]?.asUInt16 ?? 672)
    browsingMTU = Int(options["browsingMTU"]?.asUInt16 ?? 1008)
  }
}

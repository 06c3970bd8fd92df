import AVRCP
import Testing

/// A case of the qualification's test suite (AVRCP.TS), or one of ours in its manner: what is sent and what must come back,
/// byte for byte. Frames and PDUs are written without the AVCTP header, which the rig adds and checks.
struct QualificationCase: Sendable, CustomTestStringConvertible {
  enum Step: Sendable {
    /// AV/C frame on the control channel, and its answer.
    case control(String, String, label: UInt8 = 0)
    /// AVRCP PDU on the browsing channel, and its answer.
    case browse(String, String)
    /// A frame that comes unasked.
    case heard(String, label: UInt8 = 0)
    /// A whole packet on the control channel, header and all, and its answer.
    case packet(String, String)
    /// The same on the browsing channel.
    case browsingPacket(String, String)
    /// A whole packet on the control channel that gets no answer.
    case ignored(String)
    case change(@Sendable (inout TargetState) -> Void)
    case update(TargetUpdate)
    case advance(Duration)
    case did(StageModel.Call)
    /// Nothing has been sent that was not read.
    case quiet
  }

  /// As in AVRCP.TS, without the leading AVRCP/.
  var ids: [String]
  var about: String
  var peer = Rig.browser
  var options = TargetOptions()
  var steps: [Step]

  var testDescription: String { ids.joined(separator: ", ") + ": " + about }

  init(
    _ ids: String, _ about: String, peer: PeerDescription = Rig.browser, options: TargetOptions = .init(), _ steps: Step...
  ) {
    self.ids = ids.split(separator: " ").map(String.init)
    self.about = about
    self.peer = peer
    self.options = options
    self.steps = steps
  }
}

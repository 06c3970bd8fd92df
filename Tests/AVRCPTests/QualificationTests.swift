import Testing

@testable import AVRCP

@Suite(.timeLimit(.minutes(1))) struct QualificationTests {
  @Test("bytes for bytes", arguments: QualificationTable.all)
  func bytes(_ test: QualificationCase) async {
    let rig = await Rig(test.peer, options: test.options)
    for (index, step) in test.steps.enumerated() {
      await Self.run(step, rig, "\(test), step \(index + 1)")
    }
    await rig.end()
  }

  private static func run(_ step: QualificationCase.Step, _ rig: Rig, _ place: String) async {
    switch step {
    case .control(let frame, let answer, let label):
      same(await rig.ask(wire(frame), label: label), answer, place)
    case .browse(let pdu, let answer): same(await rig.browse(wire(pdu)), answer, place)
    case .heard(let frame, let label): same(await rig.heard(label: label), frame, place)
    case .packet(let packet, let answer):
      rig.control.send(wire(packet))
      same(await rig.control.inbox.next() ?? [], answer, place)
    case .browsingPacket(let packet, let answer):
      rig.browsing.send(wire(packet))
      same(await rig.browsing.inbox.next() ?? [], answer, place)
    case .ignored(let packet): rig.control.send(wire(packet))
    case .change(let edit): rig.model.change(edit)
    case .update(let update): rig.model.send(update)
    case .advance(let time): await rig.advance(by: time)
    case .did(let call): #expect(await rig.model.calls.next() == call, "\(place)")
    case .quiet:
      let heard = await rig.settle()
      #expect(heard.isEmpty, "\(place)")
      #expect(rig.model.calls.takeAll().isEmpty, "\(place)")
    }
  }

  private static func same(_ bytes: [UInt8], _ expected: String, _ place: String) {
    #expect(hex(bytes) == hex(wire(expected)), "\(place)")
  }

  /// The target's cases that Android's list holds (`avrcp.md` 5), but for service records, cover art and A2DP, which are not
  /// of this module; and those beyond it.
  @Test("every target case has its bytes")
  func complete() {
    let listed = Set(QualificationTable.all.flatMap(\.ids))
    for id in QualificationTable.required { #expect(listed.contains(id), "\(id) is missing") }
  }
}

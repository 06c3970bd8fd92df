import TestKit
import Testing

@testable import AVRCP

@Suite struct KeyStateMachineTests {
  @Test("whatever comes in whatever order, every scrub is ended, once, within 2 s of the last sign of its key")
  func alwaysEnds() {
    let keys: [PassThroughKey] = [.operation(.fastForward), .operation(.rewind), .operation(.play), .group(.nextGroup)]
    for seed in 0..<2000 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      var machine = KeyStateMachine(holdThreshold: .milliseconds(500))
      var now = Duration.seconds(5)
      var scrubbing = false
      func note(_ actions: [TargetAction]) {
        for action in actions {
          switch action {
          case .scrubForward, .scrubBack:
            #expect(!scrubbing)
            scrubbing = true
          case .scrubEnd:
            #expect(scrubbing)
            scrubbing = false
          default: #expect(!scrubbing)
          }
        }
      }
      for _ in 0..<20 {
        now += .milliseconds(Int(random.next() % 900))
        if let deadline = machine.deadline, deadline <= now { note(machine.take(.alarm, at: now)) }
        let key = keys[Int(random.next() % 4)]
        note(machine.take(random.next() % 2 == 0 ? .press(key) : .release(key), at: now))
      }
      while let deadline = machine.deadline {
        #expect(deadline <= now + KeyStateMachine.releaseTimeout)
        note(machine.take(.alarm, at: deadline))
        now = max(now, deadline)
      }
      #expect(!scrubbing)
    }
  }
}

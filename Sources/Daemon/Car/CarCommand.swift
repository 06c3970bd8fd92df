import CommandLine
import DBus
import Glibc
import Reactor

extension Command {
  static let car = Command(
    "car", takes: "status|enable|disable|simulate|target [WORD…]", count: 1...64,
    "The car over Bluetooth: how it reaches us, browsing on and off, a head unit to try it with.",
    details: """
      status: adapters, devices, which way cars reach us, what they show. enable: bluetoothd leaves AVRCP to ipodderx-car, so that cars \
      can browse; needs root. disable: everything as it was. simulate: a head unit in the terminal that speaks the real bytes; with words \
      behind it, or without a terminal, it does these and prints what it shows: play, pause, stop, next, previous, forward, rewind, \
      next-group, previous-group, up, enter=NUMBER, search=TEXT. target: serves a tester over inherited SOCK_SEQPACKET descriptors until \
      its channel ends.
      """,
    options: [
      .init("control-fd", "N", "target: the descriptor of the control channel"),
      .init("browse-fd", "N", "target: the descriptor of the browsing channel"),
      .init("control-mtu", "N", "target: the longest control message the other end takes (672)"),
      .init("browse-mtu", "N", "target: the longest browsing message the other end takes (1008)"),
      .init("peer-version", "1.x", "target: the AVRCP version of the other end (1.6)"),
      .init("peer-features", "0x…", "target: the features of its controller record (0xc3)"),
      .init("peer-target-features", "0x…", "target: the features of its target record; 2: its volume can be set (none)"),
      .init("rows", "N", "simulate: rows of the list (8)"),
    ],
    completes: .words(["status", "enable", "disable", "simulate", "target"]), printsData: true
  ) { invocation throws(CommandError) in
    let words = invocation.arguments.dropFirst()
    let isKnown = ["status", "enable", "disable", "target"].contains(invocation[0])
    if isKnown, let word = words.first {
      throw .usage("`car \(invocation[0] ?? "")` takes no other word, not “\(word.brief)”.")
    }
    switch invocation[0] {
    case "status": try await CarStatus.show(invocation.output)
    case "enable": try await CarSetup(invocation.output).enable()
    case "disable": try await CarSetup(invocation.output).disable()
    case "simulate": try await CarSimulator.run(invocation, words: Array(words))
    case "target": try await CarTarget.run(invocation)
    default: throw .usage("`car` takes status, enable, disable, simulate or target, not “\((invocation[0] ?? "").brief)”.")
    }
  }
}

import AVRCP
import Glibc
import Reactor

/// The figures of the car: one that browses our library over a socket pair, by the running daemon's own target.
struct CarFigures {
  let stage: Stage
  let table: Table
  let daemon: ChildProcess
  /// Of asking, a request every sixtieth of a second.
  let seconds: Int

  func measure() async throws {
    let control = try pair()
    let browsing = try pair()
    let target = try stage.start(
      stage.programs + "/ipodderx-car", ["car", "target", "--control-fd", "3", "--browse-fd", "4"],
      descriptors: [3: control.theirs, 4: browsing.theirs])
    close(control.theirs)
    close(browsing.theirs)
    defer { target.send(SIGKILL) }
    let car = AVRCPController()
    await car.open(
      control: DatagramChannel(descriptor: control.ours), browsing: DatagramChannel(descriptor: browsing.ours, outgoingMTU: 1008))
    try await enterLongestList(car)
    try await pages(car)
    await car.close()
  }

  /// As a car does it: down into New.
  private func enterLongestList(_ car: AVRCPController) async throws {
    guard case .player(let id, _, _, _, _)? = try await car.folderItems(.mediaPlayerList, from: 0, to: 0).items.first else {
      throw BenchError("It shows no player.")
    }
    let counter = try await car.setBrowsedPlayer(id).uidCounter
    let root = try await car.folderItems(.virtualFilesystem, from: 0, to: 5).items
    guard let new = root.first(where: { $0.name == "New" }), let uid = new.uid else { throw BenchError("It has no folder New.") }
    _ = try await car.changePath(.down, uid, uidCounter: counter)
  }

  private func pages(_ car: AVRCPController) async throws {
    let total = try await car.totalNumberOfItems(.virtualFilesystem).items
    let turns = 60 * seconds
    var times: [Double] = []
    guard let before = ProcessFigures(pid: daemon.pid)?.cpu else { throw BenchError("The daemon has ended.") }
    let began = now()
    for turn in 0..<turns {
      let start = UInt32(Int(total) * turn / (turns + 1))
      let asked = now()
      let page = try await car.folderItems(.virtualFilesystem, from: start, to: start + 9)
      times.append(now() - asked)
      guard !page.items.isEmpty else { throw BenchError("An empty page at \(start).") }
      pause(began + Double(turn + 1) / 60 - now())
    }
    let span = now() - began
    guard let after = ProcessFigures(pid: daemon.pid)?.cpu else { throw BenchError("The daemon has ended.") }
    let name = Contestant.ours.name
    table.set("… a car's page of 10 out of \(total), median", "ms", aim: "≤ 10", name, median(times).map { $0 * 1000 })
    table.set("… the slowest of \(turns)", "ms", aim: "≤ 10", name, times.max().map { $0 * 1000 })
    table.set(
      "… \(Table.short(Double(turns) / span)) pages a second for \(Int(span.rounded())) s", "% of a core", aim: "≤ 5", name,
      (after - before) / span * 100)
  }

  private func pair() throws -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw BenchError("No socket pair: \(String(cString: strerror(errno))).")
    }
    return (ends[0], ends[1])
  }
}

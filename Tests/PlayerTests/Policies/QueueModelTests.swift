import Library
import Reactor
import Testing

@testable import Player

@Suite("Player: the queue as a tape")
struct QueueModelTests {
  private func model(_ count: Int) -> QueueModel {
    var model = QueueModel()
    let entries = (0..<count).map { model.makeEntry(.episode(ItemID("e\($0)")), title: "\($0)", show: "", length: nil) }
    if let first = entries.first {
      model.start(first, following: Array(entries.dropFirst()), within: "list", random: { 0 })
    }
    return model
  }

  private func numbers(_ model: QueueModel) -> [UInt64] {
    (model.past + (model.current.map { [$0] } ?? []) + model.upcoming).map(\.number)
  }

  @Test("Whatever is done in whatever order, no entry is lost or doubled, and what is remembered is the same", arguments: 0..<20)
  func nothingLost(_ seed: Int) throws {
    let random = Counter()
    for _ in 0..<seed { _ = random.next() }
    var model = model(8)
    for _ in 0..<300 {
      var expected = Set(numbers(model))
      let pick = numbers(model).randomElement(random)
      switch random.next() % 10 {
      case 0: model.advance()
      case 1: model.goBack()
      case 2:
        if let pick {
          let isThere = model.go(to: pick)
          #expect(isThere && model.current?.number == pick)
        }
      case 3: model.setShuffle(!model.shuffle, random: random.next)
      case 4: model.loop = [.none, .track, .playlist][Int(random.next() % 3)]
      case 5: _ = model.move(from: Int(random.next() % 9), to: Int(random.next() % 9))
      case 6, 7:
        let entry = model.makeEntry(.foreign(url: "x"), title: "", show: "", length: nil)
        expected.insert(entry.number)
        switch random.next() % 5 {
        case 0: model.insert(entry, .next)
        case 1: model.insert(entry, .last)
        case 2: model.insert(entry, after: nil)
        case 3: model.insert(entry, after: pick)
        default: model.insertAhead(entry, after: pick)
        }
      case 8:
        if let pick, pick != model.current?.number {
          let isRemoved = model.remove(number: pick)
          #expect(isRemoved)
          expected.remove(pick)
        }
      default:
        let next = model.next
        if model.advance() { #expect(model.current == next) } else { #expect(next == nil) }
      }
      let now = numbers(model)
      #expect(Set(now).count == now.count)
      // The history is bounded: only what it let go of may be missing.
      let missing = expected.subtracting(now)
      #expect(missing.isEmpty || model.past.count >= QueueModel.historyLimit)
      #expect(Set(now).isSubset(of: expected))
      var memory = PlayerMemory()
      memory.model = model
      let text = try #require(memory.text)
      #expect(PlayerMemory(text: text) == memory)
    }
  }

  @Test(
    "Next and then Previous is where one was, with and without loop and shuffle", arguments: [false, true],
    [LoopMode.none, .track, .playlist])
  func thereAndBack(_ shuffle: Bool, _ loop: LoopMode) {
    var model = model(5)
    model.setShuffle(shuffle, random: Counter().next)
    model.loop = loop
    for _ in 0..<12 {
      let before = (model.current, model.upcoming)
      guard model.advance() else { break }
      model.goBack()
      #expect(model.current == before.0)
      model.advance()
    }
  }

  @Test("The playlist loop comes round to every entry in order, for ever")
  func loopsRound() {
    var model = model(4)
    model.loop = .playlist
    let order = (0..<12).map { _ in
      defer { model.advance() }
      return model.current?.title ?? ""
    }
    #expect(order == ["0", "1", "2", "3", "0", "1", "2", "3", "0", "1", "2", "3"])
  }

  @Test(
    "AddTrack: what was shown, with the new one behind the one that was named, or at the start; what plays plays",
    arguments: 0..<40)
  func insertsAfter(_ played: Int) throws {
    var before = model(45)
    for _ in 0..<played { before.advance() }
    let shown = before.past.suffix(QueueModel.shownHistory).map(\.number)
    for after in [nil] + numbers(before).suffix(shown.count + 1 + before.upcoming.count).map(Optional.init) {
      var model = before
      let entry = model.makeEntry(.foreign(url: "x"), title: "", show: "", length: nil)
      model.insert(entry, after: after)
      let index = try #require(numbers(model).firstIndex(of: entry.number))
      if let after {
        #expect(index > 0 && numbers(model)[index - 1] == after)
      } else {
        #expect(model.past.suffix(QueueModel.shownHistory).first == entry)
      }
      #expect(model.current == before.current)
      #expect(numbers(model).filter { $0 != entry.number } == numbers(before))
      // Played at once, it is followed by what lay ahead.
      var ahead = before
      ahead.insertAhead(entry, after: after)
      let follows = ahead.upcoming.drop { $0 != entry }.dropFirst().map(\.number)
      #expect(follows == before.upcoming.map(\.number).suffix(follows.count))
      #expect(ahead.upcoming.contains(entry))
    }
  }

  @Test("The history is bounded")
  func historyIsBounded() {
    var model = model(200)
    while model.advance() {}
    #expect(model.past.count == QueueModel.historyLimit)
  }
}

extension Array {
  fileprivate func randomElement(_ random: Counter) -> Element? {
    isEmpty ? nil : self[Int(random.next() % UInt64(count))]
  }
}

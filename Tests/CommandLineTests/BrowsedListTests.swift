import DBus
import Testing

@testable import CommandLine

@Suite struct BrowsedListTests {
  private func items(_ ids: String...) -> [ListedItem] {
    ids.map { ListedItem(.vardict([("id", .string($0))])) }
  }

  private func list(chosen: Int, _ ids: String...) -> BrowsedList {
    var list = BrowsedList(id: "feed/7", title: "The Show")
    list.take(ids.map { ListedItem(.vardict([("id", .string($0))])) }, from: 0, total: ids.count)
    list.chosen = chosen
    return list
  }

  private func chosen(_ list: BrowsedList) -> String? { list.rows[list.chosen]?.id }

  @Test func cursor_staysOnItsItem_whenOthersComeAndGo() {
    var list = list(chosen: 1, "a", "b", "c")
    list.forget()
    list.take(items("new", "newer", "a", "b", "c"), from: 0, total: 5)
    #expect(chosen(list) == "b" && !list.isStale)
    list.forget()
    list.take(items("b", "c"), from: 0, total: 2)
    #expect(chosen(list) == "b")
  }

  @Test func cursor_goesToANeighbour_whenItsItemLeaves() {
    var list = list(chosen: 1, "a", "b", "c")
    list.forget()
    list.take(items("a", "c"), from: 0, total: 2)
    #expect(chosen(list) == "c")
    list.forget()
    list.take(items("a"), from: 0, total: 1)
    #expect(chosen(list) == "a")
  }

  @Test func cursor_followsAnItemThatComesBack() {
    var list = list(chosen: 1, "a", "c")
    list.forget()
    list.follow("b")
    list.take(items("a", "b", "c"), from: 0, total: 3)
    #expect(chosen(list) == "b")
    var empty = BrowsedList(title: "New")
    empty.forget()
    empty.follow("b")
    empty.take(items("b"), from: 0, total: 1)
    #expect(chosen(empty) == "b")
  }

  @Test func cursor_isLookedForAgain_whenNothingKnownIsNear() {
    var list = list(chosen: 0, "a", "b")
    list.forget()
    list.take(items("x", "y"), from: 0, total: 4)
    #expect(list.isStale)
    list.take(items("x", "y", "a", "b"), from: 0, total: 4)
    #expect(chosen(list) == "a" && !list.isStale)
    list.forget()
    list.take([], from: 0, total: 0)
    list.giveUp()
    list.show(height: 5)
    #expect(list.top >= 0 && !list.isStale && chosen(list) == nil)
  }

}

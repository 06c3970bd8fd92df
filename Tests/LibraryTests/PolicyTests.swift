import Reactor
import Testing

@testable import Library

@Suite struct PolicyTests {
  @Test("the back-off doubles from a second to five minutes, spread over its upper half, and heeds the server")
  func backoff() {
    for jitter in [-1.0, 0, 0.3, 1, 7] {
      var backoff = Backoff()
      var whole = Duration.seconds(1)
      for _ in 0..<40 {
        let next = backoff.next(jitter: jitter)
        #expect(next >= min(whole / 2, .seconds(150)) && next >= .seconds(1) && next <= min(whole, .seconds(300)))
        whole = min(whole * 2, .seconds(300))
      }
      #expect(backoff.next(jitter: 0, atLeast: .seconds(900)) == .seconds(900))
      backoff.reset()
      #expect(backoff.next(jitter: 1) == .seconds(1))
    }
  }

  @Test("stamps: newer or alike is taken, older is not, and a clock that was set back is told by what is stored")
  func stamps() {
    func stamp(_ new: Int64, _ stored: Int64, now: Int64) -> Int64? {
      Library.stamp(WallTime(microseconds: new), after: stored, now: WallTime(microseconds: now))
    }
    #expect(stamp(5_000, 4_000, now: 5_000) == 5_000)
    #expect(stamp(5_000, 5_000, now: 5_000) == 5_000)
    #expect(stamp(5_999, 4_000, now: 6_000) == 5_000)
    #expect(stamp(3_000, 4_000, now: 9_000) == nil)
    #expect(stamp(3_000, 4_000, now: 3_500) == 5_000)
  }

  @Test(
    "what is left is said in whole minutes",
    arguments: [
      (3600, 0, false, "1 h"), (3600, 61, false, "59 min left"), (5400, 0, false, "1 h 30 min"), (30, 0, false, "1 min"),
      (3600, 4000, false, "0 min left"), (60, 0, false, "1 min"), (61, 0, false, "1 min"), (89, 0, false, "1 min"),
      (90, 0, false, "2 min"), (3599, 0, false, "1 h"), (3600, 3599, false, "1 min left"),
      (3600, 0, true, "heard"), (3600, 600, true, "50 min left"),
    ])
  func left(_ length: Int64, _ position: Int64, _ read: Bool, _ text: String) {
    #expect(SecondLine.left(length: .seconds(length), position: .seconds(position), isRead: read) == text)
    #expect(SecondLine.left(length: nil, position: .zero, isRead: false) == nil)
  }

  @Test("each server has a folder of its own, whatever its address")
  func folders() {
    let addresses = [
      "https://a.example", "http://a.example", "https://a.example:8443", "https://a.example/x", "https://[::1]:9",
      "https://b.example", "", "https://[::1:9]", "https://[::1]/9", "https://a.example/8443", "https://a.example:8443/x",
      "https://a.example/8443/x", "https://a.example/x/y", "https://a.example/x+y", "https://a.example/x//y",
      "https://a.example/x%2Fy", "https://a.example/x:y", "https://a.example/+", "http://https/x", "https://https/x",
      "https://a.example/" + String(repeating: "long/", count: 80), "https://a.example/" + String(repeating: "long/", count: 81),
    ]
    let folders = addresses.map { LibraryOptions.folder(data: "/d", server: $0) }
    #expect(Set(folders).count == addresses.count)
    for folder in folders {
      #expect(folder.hasPrefix("/d/servers/") && folder.split(separator: "/").count == 3 && !folder.contains(".."))
      #expect(folder.utf8.count < 250)
    }
  }
}

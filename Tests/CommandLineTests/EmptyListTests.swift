import DBus
import Testing

@testable import CommandLine

@Suite struct EmptyListTests {
  @Test(
    "an empty list says why: not fetched yet, the server not there, or just nothing",
    arguments: [
      ("online", 0, "", "Nothing here yet: the server is being asked for what it has."),
      ("online", 5, "", "Nothing here."), ("online", 5, "The file is cut off.", "Nothing here."),
      ("offline", 0, "No way to a.example.", "Nothing here. No way to a.example."),
      ("offline", 5, "No way to a.example.", "Nothing here. No way to a.example."),
      ("signed-out", 0, "Sign in again", "Nothing here. Sign in again"), ("no-server", 0, "", "Nothing here."),
    ])
  func sentence(_ state: String, _ synced: Int64, _ problem: String, _ sentence: String) {
    #expect(EmptyList.sentence(library: ["State": .string(state), "Synced": .int64(synced)], problem: problem) == sentence)
  }
}

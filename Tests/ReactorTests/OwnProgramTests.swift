import Glibc
import Testing

@testable import Reactor

@Suite struct OwnProgramTests {
  @Test("where it is, absolute")
  func path() {
    #expect(OwnProgram.path.hasPrefix("/") && access(OwnProgram.path, X_OK) == 0)
    #expect(OwnProgram.path.hasPrefix(OwnProgram.folder + "/"))
  }

  @Test(
    "a shell runs what it is given, whatever is in the name", arguments: ["/usr/bin/a-b_c.2", "/a b", "/it's", "/$(x)", "/é", ""])
  func quoted(_ text: String) async throws {
    let word = OwnProgram.quoted(text)
    #expect((word == text) == !["/a b", "/it's", "/$(x)", "/é", ""].contains(text))
    let file = try #require(popen("printf %s \(word)", "r"))
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = fread(&bytes, 1, bytes.count, file)
    #expect(pclose(file) == 0 && String(decoding: bytes[..<count], as: UTF8.self) == text)
  }

  @Test("what is not there is told by where it was to be")
  func companion() {
    #expect(OwnProgram.companion("nothing-of-ours", override: "NOTHING").hasSuffix("/../libexec/ipodderx-car/nothing-of-ours"))
    #expect(OwnProgram.find("sh")?.hasSuffix("/sh") == true && OwnProgram.find("nothing-of-ours") == nil)
  }
}

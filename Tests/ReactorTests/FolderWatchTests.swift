import Glibc
import Reactor
import TestKit
import Testing

@Suite struct FolderWatchTests {
  @Test func changes_nameWhatWasWrittenMovedAndRemoved() async throws {
    let temporary = TemporaryFolder()
    let folder = temporary.path
    let watch = try #require(FolderWatch(folder))
    var names = watch.changes.makeAsyncIterator()

    close(open(folder + "/a", O_CREAT | O_WRONLY, 0o600))
    #expect(await names.next() == "a")
    #expect(await names.next() == "a")
    rename(folder + "/a", folder + "/b")
    #expect(await names.next() == "a")
    #expect(await names.next() == "b")
    unlink(folder + "/b")
    #expect(await names.next() == "b")
  }

  @Test func aFolderThatIsNotThere_isNil() {
    #expect(FolderWatch("/no/such/folder") == nil)
  }
}

import Glibc
import Settings
import Testing

@Suite struct SettingsFileTests {
  @Test func parse_namesEveryLineItRefuses_andKeepsTheRest() {
    let (values, refused) = SettingsFile.parse(
      """
      # a comment
      skip.forward = 45
      colour = blue
      speed = fast
      just words
       next=chapter\u{20}
      """)
    #expect(values.number("skip.forward") == 45)
    #expect(values["next"] == "chapter")
    #expect(values.set("speed") == nil)
    #expect(refused.count == 3)
    #expect(refused[0].contains("Line 3") && refused[0].contains("colour"))
    #expect(refused[1].contains("Line 4") && refused[1].contains("speed"))
    #expect(refused[2].contains("Line 5"))
  }

  @Test func set_changesItsOwnLineOnly() throws {
    let file = try TemporarySettings()
    try file.write("# mine\nnext = skip\ncolour = blue\n")
    try file.file.set("next", to: "chapter")
    try file.file.set("skip.back", to: "20")
    #expect(try file.text() == "# mine\nnext = chapter\ncolour = blue\nskip.back = 20\n")
    try file.file.set("next", to: "")
    #expect(try file.text() == "# mine\ncolour = blue\nskip.back = 20\n")
  }

  @Test func set_refusesWithoutTouchingTheFile() throws {
    let file = try TemporarySettings()
    try file.write("next = skip\n")
    #expect(throws: SettingsError.self) { try file.file.set("next", to: "sideways") }
    #expect(throws: SettingsError.self) { try file.file.set("nxt", to: "skip") }
    #expect(try file.text() == "next = skip\n")
  }

  @Test func load_ofNothing_isStandard_andOfAFolder_isASentence() throws {
    let file = try TemporarySettings()
    #expect(try file.file.load().values == SettingsValues())
    let error = #expect(throws: SettingsError.self) { try SettingsFile(path: file.folder).load() }
    #expect(error?.code == .unreadable)
    #expect(error?.description.contains(file.folder) == true)
  }
}

/// A settings file in a folder of its own, gone with its last reference.
private final class TemporarySettings {
  let folder: String
  var path: String { folder + "/deep/config" }
  var file: SettingsFile { SettingsFile(path: path) }

  init() throws {
    var template = Array("/tmp/ipodderx-settings-XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    folder = String(cString: made)
  }

  func write(_ text: String) throws {
    mkdir(folder + "/deep", 0o700)
    let stream = try #require(fopen(path, "w"))
    fputs(text, stream)
    fclose(stream)
  }

  func text() throws -> String {
    let stream = try #require(fopen(path, "r"))
    defer { fclose(stream) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = fread(&bytes, 1, bytes.count, stream)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  deinit {
    unlink(path)
    rmdir(folder + "/deep")
    rmdir(folder)
  }
}

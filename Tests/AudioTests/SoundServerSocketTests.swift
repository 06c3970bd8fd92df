import Testing

@testable import Audio

@Suite struct SoundServerSocketTests {
  @Test(
    "where the socket of a sound server will appear, by libpulse's addresses",
    arguments: [
      ("unix:/run/user/1/pulse/native", "/run/user/1/pulse", "native"),
      ("/tmp/server", "/tmp", "server"), ("{0123abc}unix:/x/y tcp:host", "/x", "y"), ("tcp:host:4713 unix:/x/z", "/x", "z"),
      ("unix:/top", "/", "top"),
    ])
  func paths(server: String, folder: String, name: String) throws {
    let socket = try #require(SoundServerSocket(server: server))
    #expect((socket.folder, socket.name) == (folder, name))
  }

  @Test("a server elsewhere has none here", arguments: ["tcp:host:4713", "tcp6:[::1]", "host", "", "unix:relative"])
  func elsewhere(server: String) {
    #expect(SoundServerSocket(server: server) == nil)
  }
}

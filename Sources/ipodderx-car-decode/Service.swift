import DecodeWire
import Glibc

/// One command at a time, each answered once, until the daemon hangs up. What is not of the protocol ends the process.
struct Service {
  private let socket: WireSocket

  init(_ socket: WireSocket) {
    self.socket = socket
  }

  func run() -> Never {
    do throws(WireSocket.Failure) {
      let opening = try socket.receive()
      guard opening.kind == .open, opening.count == 0 else { exit(3) }
      let how = WireOpening(rawValue: opening.extra)
      guard let input = Input(socket, length: max(-1, opening.value), isSeekable: how.contains(.isSeekable)) else { exit(5) }
      let file: any SoundFile
      do throws(FileFailure) {
        file = how.contains(.isVorbis) ? try VorbisFile(input) : try AudioFile(input, isLocal: how.contains(.isLocal))
      } catch {
        try socket.send(WireHeader(.failed, value: error.reason.rawValue))
        exit(0)
      }
      let description = file.description.encoded()
      try socket.send(WireHeader(.described, count: description.count))
      try socket.sendAll(description)
      while true {
        let command = try socket.receive()
        try serve(command, file, input)
      }
    } catch {
      exit(error == .ended ? 0 : 3)
    }
  }

  private func serve(_ command: WireHeader, _ file: any SoundFile, _ input: Input) throws(WireSocket.Failure) {
    guard command.count == 0 else { exit(3) }
    input.startAnew()
    switch command.kind {
    case .read:
      let sound: Sound
      do throws(FileFailure) {
        sound = try file.read(most: Int(min(max(1, command.value), Int64(WireLimits.frames))))
      } catch { return try refuse(error, input) }
      if let length = file.takeNewLength() { try socket.send(WireHeader(.length, value: length)) }
      try send(sound)
    case .seek:
      let place: Int64
      do throws(FileFailure) { place = try file.seek(to: max(0, command.value)) } catch { return try refuse(error, input) }
      if let length = file.takeNewLength() { try socket.send(WireHeader(.length, value: length)) }
      try socket.send(WireHeader(.landed, value: place))
    default: exit(3)
    }
  }

  private func refuse(_ failure: FileFailure, _ input: Input) throws(WireSocket.Failure) {
    try socket.send(WireHeader(.failed, value: (input.isAborted ? .aborted : failure.reason).rawValue))
  }

  private func send(_ sound: Sound) throws(WireSocket.Failure) {
    try socket.send(
      WireHeader(
        .sound, count: sound.samples.count * 2, value: sound.place,
        extra: UInt64(sound.sampleRate) << 8 | UInt64(sound.channels)))
    if !sound.samples.isEmpty { try socket.sendAll(UnsafeRawBufferPointer(sound.samples)) }
  }
}

struct FileFailure: Error {
  var reason: WireFailure

  init(_ reason: WireFailure) {
    self.reason = reason
  }
}

import DecodeWire
import Glibc
import Reactor

/// The wire to one helper, and its process; both end with it.
final class HelperLink {
  /// Silence that no decoding explains: it asks for bytes, or answers, many times a second.
  static let patience = 10

  let socket: WireSocket
  /// Nil in tests that speak for the helper themselves.
  let child: ChildProcess?
  private(set) var isOver = false

  init(_ descriptor: Int32, _ child: ChildProcess?, patience: Int = HelperLink.patience) {
    socket = WireSocket(descriptor)
    self.child = child
    socket.setPatience(seconds: patience)
  }

  deinit {
    end()
    close(socket.descriptor)
  }

  func end() {
    isOver = true
    child?.send(SIGKILL)
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
  }

  /// Ends it, and says why as an error.
  func give(up failure: WireSocket.Failure) -> DecoderError {
    end()
    switch failure {
    case .ended: return DecoderError(.helperDied, "The decoder of this file ended unexpectedly.")
    case .timedOut: return DecoderError(.helperDied, "The decoder of this file hung and was ended.")
    case .garbage: return DecoderError(.helperDied, "The decoder of this file went astray and was ended.")
    }
  }
}

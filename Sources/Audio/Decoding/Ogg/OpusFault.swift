import COpusFile

/// opusfile's error codes in words, to stand behind a colon.
enum OpusFault {
  static func words(_ code: Int32) -> String {
    switch code {
    case OP_EREAD: "its bytes did not come"
    case OP_EFAULT: "there is not memory enough"
    case OP_EIMPL: "it is of a kind of Opus that is not known here"
    case OP_ENOTFORMAT: "what stands there is not Opus"
    case OP_EBADHEADER: "its head is broken"
    case OP_EVERSION: "it is of a later version of Opus"
    case OP_ENOTAUDIO: "there is no sound in it"
    case OP_EBADPACKET: "a piece of it is broken"
    case OP_EBADLINK: "its parts do not fit together"
    case OP_ENOSEEK: "its bytes come in order only"
    case OP_EBADTIMESTAMP: "its own clock is broken"
    case OP_HOLE: "too much of it is missing"
    case OP_EOF: "it ends there"
    default: "it is not as it should be"
    }
  }
}

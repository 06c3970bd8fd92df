import DBus
import Library
import Reactor

extension DBusError {
  /// `net.sdf1.ipodderx.Error.…` with its sentence.
  init(_ error: LibraryError) {
    self.init(name: "net.sdf1.ipodderx.Error.\(error.code.rawValue)", message: error.description)
  }

  static func invalid(_ sentence: String) -> DBusError { DBusError(LibraryError(.invalid, sentence)) }
}

extension DBusReply {
  /// Answers with what `work` gives, or with its refusal, when `settle` has done what comes before the answer.
  func answer(after settle: () async -> Void = {}, _ work: () async throws(LibraryError) -> [DBusValue]) async {
    let result: Result<[DBusValue], LibraryError>
    do throws(LibraryError) { result = .success(try await work()) } catch { result = .failure(error) }
    await settle()
    switch result {
    case .success(let values): succeed(values)
    case .failure(let error): fail(DBusError(error))
    }
  }
}

extension WallTime {
  /// Unix seconds, rounded down.
  var wholeSeconds: Int64 {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

import Synchronization

/// The one answer to one call; from any thread. What comes after the first answer is dropped, and a reply that is let go
/// unanswered answers with an error: no caller is left to its time-out.
public final class DBusReply: Sendable {
  public typealias Answer = @Sendable (Result<[DBusValue], DBusError>) -> Void

  private let answer: Mutex<Answer?>

  public init(_ answer: @escaping Answer) {
    self.answer = Mutex(answer)
  }

  public func callAsFunction(_ values: DBusValue...) { give(.success(values)) }
  public func succeed(_ values: [DBusValue]) { give(.success(values)) }
  public func fail(_ error: DBusError) { give(.failure(error)) }

  private func give(_ result: Result<[DBusValue], DBusError>) {
    let answer = self.answer.withLock { held in
      defer { held = nil }
      return held
    }
    answer?(result)
  }

  deinit {
    answer.withLock { $0 }?(.failure(.failed("The call was dropped without an answer.")))
  }
}

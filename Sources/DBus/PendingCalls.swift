import Dispatch
import Reactor

/// Calls of ours that wait for their answer, with one timer for all of them and none while nothing waits.
/// Confined to the connection's thread.
final class PendingCalls {
  typealias Completion = (Result<[DBusValue], DBusError>) -> Void

  private struct Call {
    var completion: Completion
    var deadline: DispatchTime
    var key: UInt64
  }

  private let loop: BusLoop
  private var calls: [UInt32: Call] = [:]
  private var timerDeadline = DispatchTime.distantFuture

  init(on loop: BusLoop) { self.loop = loop }

  /// `serial` is the message's; `key` is for `cancel`.
  func add(serial: UInt32, key: UInt64, timeout: Duration, _ completion: @escaping Completion) {
    let deadline = DispatchTime.now() + min(max(0, timeout.inSeconds), 1_000_000)
    calls[serial] = Call(completion: completion, deadline: deadline, key: key)
    if deadline < timerDeadline { arm(deadline) }
  }

  /// False when nothing waits for an answer to `serial`.
  @discardableResult
  func complete(serial: UInt32, _ result: @autoclosure () -> Result<[DBusValue], DBusError>) -> Bool {
    guard let call = calls.removeValue(forKey: serial) else { return false }
    if calls.isEmpty { disarm() }
    call.completion(result())
    return true
  }

  func cancel(key: UInt64) {
    guard let serial = calls.first(where: { $0.value.key == key })?.key else { return }
    complete(serial: serial, .failure(.failed("The call was cancelled.")))
  }

  func failAll(_ error: DBusError) {
    disarm()
    let failed = calls.values
    calls = [:]
    for call in failed { call.completion(.failure(error)) }
  }

  private func arm(_ deadline: DispatchTime) {
    timerDeadline = deadline
    loop.setTimer(self, at: deadline) { [weak self] in self?.expire() }
  }

  private func disarm() {
    timerDeadline = .distantFuture
    loop.setTimer(self, at: nil)
  }

  private func expire() {
    let now = DispatchTime.now()
    let late = calls.filter { $0.value.deadline <= now }.map(\.key)
    for serial in late { complete(serial: serial, .failure(.noReply("There was no answer in time."))) }
    guard let next = calls.values.map(\.deadline).min() else { return disarm() }
    arm(next)
  }
}

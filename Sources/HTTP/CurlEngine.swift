import CCurl
import Dispatch
import Glibc
import Reactor

/// curl's multi handle on one Dispatch queue: sockets stand in an epoll set that a `PollSetWatch` looks at, timers are one alarm.
/// Everything is made at the first transfer: a process that asks nothing pays nothing. Confined to its queue.
final class CurlEngine: @unchecked Sendable {
  let queue: DispatchQueue
  private var multi: UnsafeMutableRawPointer?
  private var pollSet: Int32 = -1
  private var sockets: Set<Int32> = []
  private var setWatch: PollSetWatch?
  /// curl counts on the machine's own clock, so its timer runs on that, never on an injected one.
  private let clock = SystemTimekeeper()
  private var alarm: (any Alarm)?
  private var transfers: [UnsafeMutableRawPointer: HTTPTransfer] = [:]

  init(queue: DispatchQueue) {
    self.queue = queue
  }

  deinit {
    setWatch?.cancel()
    guard let multi else { return }
    _ = ccurl_multi_set_socket_callback(multi, nil)
    _ = ccurl_multi_set_timer_callback(multi, nil)
    curl_multi_cleanup(multi)
  }

  /// False when curl cannot be started (out of memory or descriptors).
  func add(_ easy: UnsafeMutableRawPointer, _ transfer: HTTPTransfer) -> Bool {
    guard let multi = multi ?? open() else { return false }
    transfers[easy] = transfer
    guard curl_multi_add_handle(multi, easy) == CURLM_OK else {
      transfers[easy] = nil
      return false
    }
    return true
  }

  /// Never from within a callback of curl.
  func remove(_ easy: UnsafeMutableRawPointer) {
    guard let multi, transfers.removeValue(forKey: easy) != nil else { return }
    curl_multi_remove_handle(multi, easy)
  }

  private static let isReady: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private func open() -> UnsafeMutableRawPointer? {
    guard Self.isReady, let multi = curl_multi_init() else { return nil }
    let set = ccurl_epoll_create()
    guard set >= 0 else {
      curl_multi_cleanup(multi)
      return nil
    }
    let me = Unmanaged.passUnretained(self).toOpaque()
    _ = ccurl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, me)
    _ = ccurl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, me)
    _ = ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 6)
    _ = ccurl_multi_set_socket_callback(multi) { _, socket, what, engine, _ in
      guard let engine else { return 0 }
      Unmanaged<CurlEngine>.fromOpaque(engine).takeUnretainedValue().watch(socket, what)
      return 0
    }
    _ = ccurl_multi_set_timer_callback(multi) { _, milliseconds, engine in
      guard let engine else { return 0 }
      Unmanaged<CurlEngine>.fromOpaque(engine).takeUnretainedValue().setTimer(milliseconds)
      return 0
    }
    setWatch = PollSetWatch(set, on: queue) { [weak self] in
      guard let self else { return }
      socketsReady()
      setWatch?.rearm()
    }
    guard setWatch != nil else {
      _ = ccurl_multi_set_socket_callback(multi, nil)
      _ = ccurl_multi_set_timer_callback(multi, nil)
      curl_multi_cleanup(multi)
      return nil
    }
    pollSet = set
    self.multi = multi
    return multi
  }

  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      if sockets.remove(socket) != nil { ccurl_epoll_remove(pollSet, socket) }
      return
    }
    // curl may have closed the socket without a word and got the number again: then the set has lost it.
    let isNew = sockets.insert(socket).inserted
    if ccurl_epoll_set(pollSet, socket, what, isNew ? 1 : 0) != 0 {
      _ = ccurl_epoll_set(pollSet, socket, what, isNew ? 0 : 1)
    }
  }

  private func setTimer(_ milliseconds: Int) {
    alarm = nil
    if milliseconds == 0 {
      // At once, but not from within curl.
      queue.async { [weak self] in self?.timeIsUp() }
    } else if milliseconds > 0 {
      alarm = clock.alarm(
        after: .milliseconds(milliseconds), leeway: .milliseconds(milliseconds / 10), on: queue
      ) { [weak self] in self?.timeIsUp() }
    }
  }

  private func timeIsUp() { act { curl_multi_socket_action($0, CURL_SOCKET_TIMEOUT, 0, $1) } }

  private func socketsReady() {
    var ready = [Int32](repeating: 0, count: 16)
    var masks = [Int32](repeating: 0, count: 16)
    let count = ccurl_epoll_ready(pollSet, &ready, &masks)
    guard count > 0 else { return }
    for index in 0..<Int(count) {
      act { curl_multi_socket_action($0, ready[index], masks[index], $1) }
    }
  }

  private func act(_ body: (UnsafeMutableRawPointer, UnsafeMutablePointer<Int32>) -> CURLMcode) {
    guard let multi else { return }
    var running: Int32 = 0
    _ = body(multi, &running)
    settle()
  }

  /// Hands finished transfers back.
  func settle() {
    guard let multi else { return }
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let result = ccurl_message_result(message)
      guard let transfer = transfers.removeValue(forKey: easy) else { continue }
      curl_multi_remove_handle(multi, easy)
      transfer.hopEnded(result)
    }
  }
}

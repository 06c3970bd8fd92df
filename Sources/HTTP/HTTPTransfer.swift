import CCurl
import Dispatch
import Glibc
import Reactor

/// One exchange under way, through all its redirects. `resume` and `cancel` may be called from anywhere; all else happens on the
/// client's queue.
public final class HTTPTransfer: @unchecked Sendable {
  private let request: HTTPRequest
  private let client: HTTPClient.Means
  private var engine: CurlEngine { client.engine }
  private var receiver: (any HTTPReceiver)?
  private var plan: RedirectPlan?
  private var easy: CurlHandle?
  private var reader = HeaderReader()
  private var head: HTTPHead?
  /// Where the answer at hand redirects to; its body is not for the receiver.
  private var location: String?
  private var skipped = 0
  private var stopped: HTTPError?
  private var isPaused = false
  private var lastSign = Duration.zero
  private var idleAlarm: (any Alarm)?
  private var totalAlarm: (any Alarm)?

  init(_ request: HTTPRequest, client: HTTPClient.Means, receiver: any HTTPReceiver) {
    self.request = request
    self.client = client
    self.receiver = receiver
  }

  /// After `received` said no: go on.
  public func resume() {
    engine.queue.async { self.goOn() }
  }

  /// `finished(.failure(.cancelled))` follows, unless it has ended already.
  public func cancel() {
    engine.queue.async { self.end(.failure(.cancelled)) }
  }

  func start() {
    guard receiver != nil else { return }
    do throws(HTTPError) {
      plan = try RedirectPlan(request)
    } catch {
      return end(.failure(error))
    }
    if let total = request.totalTimeout {
      totalAlarm = client.timekeeper.alarm(after: total, leeway: total / 20, on: engine.queue) { [weak self] in
        self?.timedOut("did not finish answering in time")
      }
    }
    startHop()
  }

  private func startHop() {
    guard let plan else { return }
    reader = HeaderReader()
    head = nil
    location = nil
    skipped = 0
    guard let handle = CurlHandle(request, plan, client, for: self), engine.add(handle.easy, self) else {
      return end(.failure(HTTPError(.protocolError, "The transfer library cannot be started.")))
    }
    easy = handle
    lastSign = client.timekeeper.now()
    watchIdle()
  }

  // MARK: curl's callbacks

  func headerLine(_ line: UnsafeRawBufferPointer) -> Bool {
    sign()
    guard reader.take(line), let plan else { return true }
    if RedirectPlan.isRedirect(reader.status), let target = reader["location"], plan.isToFollow(target) {
      location = target
      return true
    }
    let head = HTTPHead(
      status: reader.status, headers: reader.headers, finalURL: plan.address.description, redirectChain: plan.chain,
      received: client.timekeeper.wall())
    self.head = head
    return attempt { () throws(HTTPError) in
      try receiver?.began(head)
      return true
    } ?? false
  }

  /// What curl's write callback returns.
  func bodyPiece(_ bytes: UnsafeRawBufferPointer) -> Int {
    sign()
    if location != nil {
      // A redirect's own body; a short one is read so that the connection can be used again.
      skipped += bytes.count
      return skipped > 16 << 10 ? 0 : bytes.count
    }
    guard let receiver, let taken = attempt({ () throws(HTTPError) in try receiver.received(bytes) }) else { return 0 }
    if taken { return bytes.count }
    isPaused = true
    idleAlarm = nil
    return Int(CURL_WRITEFUNC_PAUSE)
  }

  private func attempt(_ body: () throws(HTTPError) -> Bool) -> Bool? {
    do throws(HTTPError) {
      return try body()
    } catch {
      stopped = error
      return nil
    }
  }

  // MARK: going on and ending

  private func goOn() {
    guard isPaused, let easy else { return }
    isPaused = false
    sign()
    watchIdle()
    curl_easy_pause(easy.easy, CURLPAUSE_CONT)
    engine.settle()
  }

  func hopEnded(_ code: CURLcode) {
    let handle = easy
    easy = nil
    if let stopped { return end(.failure(stopped)) }
    if let location { return follow(location) }
    guard code == CURLE_OK else { return end(.failure(CurlFault.error(code, handle, plan?.address, hasHead: head != nil))) }
    guard let head else {
      return end(.failure(HTTPError(.protocolError, "\(plan?.address.host ?? "The server") did not answer with HTTP.")))
    }
    end(.success(head))
  }

  private func follow(_ location: String) {
    do throws(HTTPError) {
      try plan?.follow(reader.status, location: location)
    } catch {
      return end(.failure(error))
    }
    startHop()
  }

  private func end(_ result: Result<HTTPHead, HTTPError>) {
    guard let receiver else { return }
    self.receiver = nil
    idleAlarm = nil
    totalAlarm = nil
    if let easy { engine.remove(easy.easy) }
    easy = nil
    receiver.finished(result)
  }

  // MARK: time

  private func sign() { lastSign = client.timekeeper.now() }

  private func watchIdle() {
    guard let idle = request.idleTimeout, !isPaused, receiver != nil else { return }
    let left = max(.milliseconds(1), lastSign + idle - client.timekeeper.now())
    idleAlarm = client.timekeeper.alarm(after: left, leeway: idle / 20, on: engine.queue) { [weak self] in
      guard let self, !isPaused, receiver != nil else { return }
      if client.timekeeper.now() - lastSign >= idle {
        timedOut(head == nil ? "does not answer" : "has stopped sending")
      } else {
        watchIdle()
      }
    }
  }

  private func timedOut(_ what: String) {
    end(.failure(HTTPError(.timeout, "\(plan?.address.host ?? "The server") \(what).")))
  }
}

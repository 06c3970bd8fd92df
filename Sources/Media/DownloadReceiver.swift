import HTTP
import Reactor
import Synchronization

/// One transfer of a download: judges the head, writes the body on.
final class DownloadReceiver: HTTPReceiver {
  private struct State {
    var step: Result<Download.Step, DownloadError>?
    var isWhole = false
    var beginning: [UInt8]? = []
    var lastWord = Duration.zero
    var result: Result<Download.Step, DownloadError>?
    var waiter: CheckedContinuation<Result<Download.Step, DownloadError>, Never>?
  }

  private let partial: PartialFile
  private let url: String
  private let host: String
  private let options: Download.Options
  private let timekeeper: any Timekeeper
  private let takesAsIs: Bool
  private let progress: Download.Progress
  private let state = Mutex(State())

  init(
    _ partial: PartialFile, url: String, options: Download.Options, timekeeper: any Timekeeper, takesAsIs: Bool,
    progress: @escaping Download.Progress
  ) {
    self.partial = partial
    self.url = url
    host = HTTPOrigin(url)?.authority ?? "The server"
    self.options = options
    self.timekeeper = timekeeper
    self.takesAsIs = takesAsIs
    self.progress = progress
  }

  func result() async -> Result<Download.Step, DownloadError> {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiter = continuation }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  func began(_ head: HTTPHead) throws(HTTPError) {
    let step: Result<Download.Step, DownloadError>?
    do throws(DownloadError) { step = try judge(head).map { .success($0) } } catch { step = .failure(error) }
    state.withLock { state in
      state.step = step
      state.isWhole = head.status == 200
      if partial.size > 0 { state.beginning = nil }
    }
    if step != nil { throw HTTPError(.cancelled, "Not what was asked for.") }
  }

  /// Nil: the body is what is wanted.
  private func judge(_ head: HTTPHead) throws(DownloadError) -> Download.Step? {
    if IdentityProvider.isSignIn(head.finalURL) { return .refused }
    switch head.status {
    case 206:
      let range = ContentRange(head["Content-Range"])
      let version = FileVersion(head, length: range?.total)
      guard range?.bytes?.lowerBound == partial.size, takesAsIs || head.contentEncoding == nil, partial.judge(version) == .same
      else {
        try partial.startAnew()
        return .again
      }
      try check(range?.total)
      try partial.learn(version)
      return nil
    case 200:
      let length = takesAsIs || head.contentEncoding == nil ? head.contentLength : nil
      let version = FileVersion(head, length: length)
      if partial.size > 0, partial.seesThrough(version) { return .again }
      // The whole file from its beginning, whatever was asked for (rule 95).
      _ = partial.judge(version)
      try partial.startAnew()
      try check(length)
      if length == 0 { throw DownloadError(.notMedia, "The file at \(host) is empty.") }
      try partial.learn(version)
      return nil
    case 416:
      // Rule 99: all there is is held already.
      if let total = ContentRange(head["Content-Range"])?.total, total > 0, total == partial.size {
        partial.setLength(total)
        return .done
      }
      try partial.startAnew()
      return .again
    case 401, 403:
      // A refusal by whoever we were sent on to says nothing about our own sign-in.
      if HTTPOrigin(head.finalURL) == HTTPOrigin(url) { return .refused }
      throw DownloadError(.gone, "\(HTTPOrigin(head.finalURL)?.authority ?? host) refuses this file (\(head.status)).")
    case 408, 425, 429, 500...599: return .fault("\(host) cannot serve this now (\(head.status)).", after: head.retryAfter)
    default: throw DownloadError(.gone, "\(host) does not have this file (\(head.status)).")
    }
  }

  private func check(_ length: Int64?) throws(DownloadError) {
    guard let length, length > options.maximumLength else { return }
    throw DownloadError(.tooLarge, "The file has \(length) bytes, which is more than may be kept.")
  }

  func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool {
    do throws(DownloadError) {
      try take(bytes)
    } catch {
      state.withLock { $0.step = .failure(error) }
      throw HTTPError(.cancelled, error.description)
    }
    if partial.meetsDonor {
      state.withLock { $0.step = .success(.again) }
      throw HTTPError(.cancelled, "What follows is at hand.")
    }
    return true
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
    let (held, isText) = state.withLock { state -> ([UInt8]?, Bool) in
      guard var beginning = state.beginning else { return (nil, false) }
      beginning.append(contentsOf: bytes)
      guard beginning.count >= BodySniffer.length else {
        state.beginning = beginning
        return ([], false)
      }
      state.beginning = nil
      return (beginning, BodySniffer.isText(beginning))
    }
    if isText { throw notMedia }
    if let held {
      try append(held)
    } else {
      try partial.append(bytes)
    }
    guard partial.size <= options.maximumLength else {
      throw DownloadError(.tooLarge, "The file has more bytes than may be kept.")
    }
    tell()
  }

  private func append(_ bytes: [UInt8]) throws(DownloadError) {
    var failure: DownloadError?
    bytes.withUnsafeBytes { bytes in
      do throws(DownloadError) { try partial.append(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private var notMedia: DownloadError { DownloadError(.notMedia, "\(host) sent a page or text instead of sound.") }

  private func tell() {
    let now = timekeeper.now()
    let isTime = state.withLock { state in
      guard now - state.lastWord >= .milliseconds(250) else { return false }
      state.lastWord = now
      return true
    }
    if isTime { progress(partial.size, partial.version.length) }
  }

  func finished(_ result: Result<HTTPHead, HTTPError>) {
    let outcome = outcome(result)
    let waiter = state.withLock { state in
      state.result = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }

  private func outcome(_ result: Result<HTTPHead, HTTPError>) -> Result<Download.Step, DownloadError> {
    let (step, beginning, isWhole) = state.withLock { ($0.step, $0.beginning, $0.isWhole) }
    if let step { return step }
    switch result {
    case .failure(let error) where error.code == .cancelled:
      return .failure(DownloadError(.cancelled, "The download was stopped."))
    case .failure(let error) where [.badURL, .refusedRedirect, .tooManyRedirects].contains(error.code):
      return .failure(DownloadError(.gone, error.description))
    case .failure(let error) where error.code == .packing && partial.size == 0 && beginning?.isEmpty != false && !takesAsIs:
      return .success(.asIs)
    case .failure(let error): return .success(.fault(error.description, after: nil))
    case .success:
      // A file shorter than what the judgement waits for.
      if let beginning, !beginning.isEmpty {
        if BodySniffer.isText(beginning) { return .failure(notMedia) }
        do throws(DownloadError) { try append(beginning) } catch { return .failure(error) }
      }
      if isWhole, partial.version.length == nil, partial.size > 0 { partial.setLength(partial.size) }
      return .success(partial.isComplete ? .done : .fault("\(host) sent less than the whole file.", after: nil))
    }
  }
}

import Glibc
import HTTP
import Reactor
import Synchronization

/// Fetches one file to keep: into `NAME.partial` with `NAME.partial.version` beside it (length and validators, so that it can be taken up after a
/// restart), and under its name only when every byte is there, synced and renamed in one step. Faults of the road are waited out.
public actor Download {
  /// Bytes held and, once known, of how many. At most four calls a second, and one at the end.
  public typealias Progress = @Sendable (_ held: Int64, _ total: Int64?) -> Void

  let url: String
  let path: String
  let client: HTTPClient
  let timekeeper: any Timekeeper
  let credentials: HTTPByteSource.CredentialSource?
  let options: Options
  let progress: Progress
  /// With who plays the same file.
  private let sharing: SharedBytes?

  public struct Options: Sendable {
    /// Faults one after the other, with not a byte between them, before it gives up with `.offline`.
    public var attempts = 8
    public var idleTimeout: Duration = .seconds(20)
    public var chance: @Sendable () -> Double = { Double.random(in: 0...1) }
    /// More than so many bytes are refused.
    public var maximumLength: Int64 = .max
    public init() {}
  }

  public init(
    url: String, to path: String, client: HTTPClient, timekeeper: any Timekeeper,
    credentials: HTTPByteSource.CredentialSource? = nil, options: Options = Options(),
    sharing: SharedBytes? = nil, progress: @escaping Progress = { _, _ in }
  ) {
    self.url = url
    self.path = path
    self.client = client
    self.timekeeper = timekeeper
    self.credentials = credentials
    self.sharing = sharing
    self.options = options
    self.progress = progress
  }

  /// The names beside a kept file's own while it is incomplete.
  public static func partialNames(of path: String) -> [String] { partialEndings.map { path + $0 } }

  public static func isPartial(_ name: String) -> Bool { partialEndings.contains { name.hasSuffix($0) } }

  private static let partialEndings = [".partial", ".partial.version"]

  /// Runs until the file stands under its name. Cancelling the task leaves the partial for the next time.
  /// - Returns: its length.
  public func run() async throws(DownloadError) -> Int64 {
    let partial = try PartialFile(path)
    partial.donor = { [sharing, url] in sharing?.player(of: url) }
    if let part = partial.part { sharing?.keeps(part, of: url) }
    defer { sharing?.keepsNoMore(url) }
    let asker = DownloadCredentials(source: credentials)
    var backOff = BackOff()
    var failures = 0
    var takesAsIs = false
    while !partial.isComplete {
      if Task.isCancelled { throw DownloadError(.cancelled, "The download was stopped.") }
      try partial.takeFromDonor()
      if partial.isComplete { break }
      let before = partial.size
      let step = try await attempt(partial, await asker.current(), takesAsIs: takesAsIs)
      if partial.size > before {
        failures = 0
        backOff.reset()
      }
      switch step {
      case .done: break
      case .again where failures < options.attempts: failures += 1
      case .again: throw DownloadError(.offline, "The server sends other bytes than it was asked for.")
      case .asIs: takesAsIs = true
      case .refused:
        guard await asker.renew() else { throw DownloadError(.signedOut, "Sign in again.") }
      case .fault(let sentence, let after):
        failures += 1
        guard failures <= options.attempts else { throw DownloadError(.offline, sentence) }
        let delay = max(backOff.next(chance: options.chance()), after ?? .zero)
        do { try await timekeeper.sleep(for: delay, leeway: delay / 10) } catch {
          throw DownloadError(.cancelled, "The download was stopped.")
        }
      }
    }
    progress(partial.size, partial.size)
    return try partial.finish()
  }

  enum Step {
    case done
    case again
    /// It was not packed, though it was said to be.
    case asIs
    case refused
    case fault(String, after: Duration?)
  }

  private func attempt(
    _ partial: PartialFile, _ credentials: HTTPCredentials?, takesAsIs: Bool
  ) async throws(DownloadError) -> Step {
    let receiver = DownloadReceiver(
      partial, url: url, options: options, timekeeper: timekeeper, takesAsIs: takesAsIs, progress: progress)
    var request = HTTPRequest(
      url: url, credentials: credentials, range: partial.size > 0 ? (partial.size, nil) : nil, ifRange: partial.condition,
      idleTimeout: options.idleTimeout, lowPriority: true, isMedia: true)
    request.takesAsIs = takesAsIs
    let transfer = client.start(request, into: receiver)
    return try await withTaskCancellationHandler {
      await receiver.result()
    } onCancel: {
      transfer.cancel()
    }.get()
  }
}

/// Why a file cannot be kept.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: Sendable, Hashable {
    case offline
    case signedOut
    case gone
    case notMedia
    case tooLarge
    case diskFull
    /// The folder or file cannot be written.
    case notWritable
    case cancelled
  }

  public var code: Code
  public var description: String

  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// What a failed call said of the disk.
  static func disk(_ error: Int32, _ path: String) -> DownloadError {
    let isFull = error == ENOSPC || error == EDQUOT || error == EFBIG
    let word = String(cString: strerror(error))
    return DownloadError(isFull ? .diskFull : .notWritable, isFull ? "The disk is full." : "\(path) cannot be written: \(word).")
  }
}

/// The present credentials, and others once after each refusal.
private actor DownloadCredentials {
  private let source: HTTPByteSource.CredentialSource?
  private var known: HTTPCredentials??
  private var renewed = false

  init(source: HTTPByteSource.CredentialSource?) {
    self.source = source
  }

  func current() async -> HTTPCredentials? {
    if let known { return known }
    let fresh = await source?(false)
    known = .some(fresh)
    return fresh
  }

  func renew() async -> Bool {
    guard let source, !renewed else { return false }
    renewed = true
    known = .some(await source(true))
    return true
  }
}

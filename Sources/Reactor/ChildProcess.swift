import CLinux
import Dispatch
import Glibc
import Synchronization

/// A program started by us: known by its pid, waited for by descriptor (no SIGCHLD, no polling), ended when let go of.
public final class ChildProcess: @unchecked Sendable {
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public var description: String
  }

  /// How it ended: its exit status, or the signal that ended it (negative).
  public struct Exit: Sendable, Equatable {
    public var status: Int32
  }

  public let pid: pid_t
  /// Dispatch sources are thread-safe, which their type does not say.
  private let exitWatch: any DispatchSourceRead
  private let state = Mutex<(exit: Exit?, waiters: [CheckedContinuation<Exit, Never>])>((nil, []))

  /// - Parameters:
  ///   - program: a path, or a name that PATH finds.
  ///   - environment: nil for this process's own.
  ///   - descriptors: the child's number → ours. What is not named is not inherited (ours are opened close-on-exec), but for 0, 1, 2.
  ///   - endsWithUs: killed by the kernel when this process ends, however that happens.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil, descriptors: [Int32: Int32] = [:],
    endsWithUs: Bool = true
  ) throws(Failure) {
    // posix_spawn has no word for the parent-death signal; setpriv (util-linux, always there on Debian) sets it and execs.
    let words = (endsWithUs ? ["setpriv", "--pdeathsig", "KILL", "--"] : []) + [program] + arguments
    pid = try LastingThread.run { () -> Result<pid_t, Failure> in
      do throws(Failure) { return .success(try Self.spawn(words, environment, descriptors)) } catch { return .failure(error) }
    }.get()
    let descriptor = clinux_pidfd_open(pid)
    guard descriptor >= 0 else {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw Failure(description: "Cannot watch \(program): \(String(cString: strerror(errno))).")
    }
    exitWatch = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .callbacks)
    exitWatch.setCancelHandler { close(descriptor) }
    exitWatch.setEventHandler { [weak self] in self?.reap() }
    exitWatch.activate()
  }

  public var hasEnded: Bool { state.withLock { $0.exit != nil } }

  public func send(_ signal: Int32) {
    state.withLock { if $0.exit == nil { kill(pid, signal) } }
  }

  /// Waits until it has ended.
  public func wait() async -> Exit {
    await withCheckedContinuation { continuation in
      let exit = state.withLock { state in
        if state.exit == nil { state.waiters.append(continuation) }
        return state.exit
      }
      if let exit { continuation.resume(returning: exit) }
    }
  }

  deinit {
    exitWatch.cancel()
    let running = state.withLock { $0.exit == nil }
    guard running else { return }
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  private func reap() {
    let (exit, waiters) = state.withLock { state -> (Exit, [CheckedContinuation<Exit, Never>]) in
      if let exit = state.exit { return (exit, []) }
      var status: Int32 = 0
      waitpid(pid, &status, 0)
      let signal = status & 0x7F
      let exit = Exit(status: signal == 0 ? (status >> 8) & 0xFF : -signal)
      state.exit = exit
      defer { state.waiters = [] }
      return (exit, state.waiters)
    }
    exitWatch.cancel()
    for waiter in waiters { waiter.resume(returning: exit) }
  }

  private static func spawn(
    _ words: [String], _ environment: [String: String]?, _ descriptors: [Int32: Int32]
  ) throws(Failure) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (theirs, ours) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }

    // The child starts with nothing blocked and nothing ignored, whatever we do with our own signals.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for text in arguments { free(text) }
      for text in variables { free(text) }
    }
    var pid: pid_t = 0
    let program = words[0]
    let result =
      environment == nil
      ? posix_spawnp(&pid, program, &actions, &attributes, &arguments, environ)
      : posix_spawnp(&pid, program, &actions, &attributes, &arguments, &variables)
    guard result == 0 else { throw Failure(description: "Cannot start \(program): \(String(cString: strerror(result))).") }
    return pid
  }
}

import Audio
import CommandLine
import DBus
import Reactor
import Settings

extension Command {
  static let doctor = Command(
    "doctor", "Finds out what is there and what is missing: bus, sound, server, Bluetooth, other players.",
    details: "Exit status 1 when something that playing needs is missing.", printsData: true
  ) { invocation throws(CommandError) in
    let findings = await Doctor().examine()
    invocation.output.json(
      .array(
        findings.map {
          .object(["what": .string($0.what), "state": .string($0.state.rawValue), "sentence": .string($0.sentence)])
        }))
    for finding in findings { invocation.output.line("\(finding.state.mark) \(finding.what): \(finding.sentence)") }
    if let worst = findings.first(where: { $0.state == .bad }) {
      throw .refused("\(worst.what): \(worst.sentence)")
    }
  }
}

/// Looks at everything the player leans on, in order, each with a sentence on what was found.
struct Doctor {
  struct Finding: Sendable {
    enum State: String, Sendable {
      case good
      case note
      case bad

      var mark: String {
        switch self {
        case .good: "✓"
        case .note: "·"
        case .bad: "✗"
        }
      }
    }

    var what: String
    var state: State
    var sentence: String
  }

  func examine() async -> [Finding] {
    var findings: [Finding] = []
    let session = try? await DBusConnection.open(.session)
    findings.append(
      session == nil
        ? Finding(
          what: "Session bus", state: .bad, sentence: "none answers; start a session, or `dbus-run-session ipodderx-car run`.")
        : Finding(what: "Session bus", state: .good, sentence: "answers."))
    findings.append(await sound())
    if let session { findings += await player(session) }
    findings += await bluetooth()
    if let session, let car = await car(session) { findings.append(car) }
    if let session { findings.append(await otherPlayers(session)) }
    return findings + stores() + settings()
  }

  // MARK: Settings

  /// What of the file is not understood; nothing where all is well.
  private func settings() -> [Finding] {
    let file = SettingsFile(path: Places().settingsFile)
    do throws(SettingsError) {
      return try file.load().refused.prefix(10).map { Finding(what: "Settings", state: .note, sentence: "\($0) (\(file.path))") }
    } catch {
      return [Finding(what: "Settings", state: .bad, sentence: error.description)]
    }
  }

  // MARK: Sound

  private func sound() async -> Finding {
    let probed = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<SoundServerProbe, AudioError>, Never>) in
      BlockingWork.run {
        do throws(AudioError) { continuation.resume(returning: .success(try SoundServerProbe())) } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    switch probed {
    case .success(let server):
      return Finding(
        what: "Sound server", state: .good, sentence: "\(server.name) \(server.version), default output \(server.defaultSink).")
    case .failure(let error):
      return Finding(
        what: "Sound server", state: .bad,
        sentence: "none answers (\(error.description)); PulseAudio or pipewire-pulse must run for this user.")
    }
  }

  // MARK: The daemon and its server

  private func player(_ session: DBusConnection) async -> [Finding] {
    let daemon: DaemonClient
    do throws(CommandError) {
      daemon = try await DaemonClient.connect(over: session)
    } catch {
      return [Finding(what: "Player", state: .bad, sentence: error.description), await DoctorServer.finding()]
    }
    var findings = [Finding(what: "Player", state: .good, sentence: "runs as \(daemon.name).")]
    do throws(CommandError) {
      let library = try await daemon.properties(DaemonClient.library)
      let problem = try await daemon.properties(DaemonClient.player)["Problem"]?.asString ?? ""
      let server = await server(library, reason: problem)
      findings.append(server)
      if !problem.isEmpty, server.state == .good {
        findings.append(Finding(what: "Playback", state: .note, sentence: problem))
      }
    } catch {
      findings.append(Finding(what: "Player", state: .bad, sentence: error.description))
    }
    return findings
  }

  private func server(_ library: [String: DBusValue], reason: String) async -> Finding {
    let address = library["Server"]?.asString ?? ""
    let unread = library["Unread"]?.asUInt32 ?? 0
    switch library["State"]?.asString ?? "" {
    case "online":
      return Finding(what: "Server", state: .good, sentence: "\(address) is reachable and signed in; \(unread) unheard.")
    case "signed-out":
      return Finding(
        what: "Server", state: .bad, sentence: "\(address): sign in again (`ipodderx-car token` or `ipodderx-car cookies FILE`).")
    case "offline":
      let host = address.split(separator: "/").dropFirst().first ?? ""
      if !host.isEmpty, reason.contains(host) {
        return Finding(what: "Server", state: .bad, sentence: "\(address) is off line: \(reason)")
      }
      // What is most pressing for the player is something else.
      return await DoctorServer.finding(at: address)
    default:
      return Finding(what: "Server", state: .bad, sentence: "none is set; `ipodderx-car server URL`.")
    }
  }

  // MARK: Bluetooth

  private func bluetooth() async -> [Finding] {
    guard let system = try? await DBusConnection.open(.system) else {
      return [Finding(what: "Bluetooth", state: .note, sentence: "no system bus, so no BlueZ: no car, everything else works.")]
    }
    defer { Task { await system.close() } }
    let answer = try? await system.call(
      "org.bluez", "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", timeout: .seconds(5))
    guard let objects = answer?.first?.asDictionary else {
      return [Finding(what: "Bluetooth", state: .note, sentence: "bluetoothd does not run: no car, everything else works.")]
    }
    let adapters = objects.filter { $0.value.asDictionary?["org.bluez.Adapter1"] != nil }.keys.sorted()
    guard !adapters.isEmpty else {
      return [Finding(what: "Bluetooth", state: .note, sentence: "bluetoothd runs, but there is no adapter.")]
    }
    return adapters.map { path in
      let adapter = objects[path]?.asDictionary?["org.bluez.Adapter1"]?.asDictionary ?? [:]
      let uuids = adapter["UUIDs"]?.asStrings ?? []
      let owner =
        uuids.contains { $0.hasPrefix("0000110c") } ? "bluetoothd answers cars itself (no browsing)" : "AVRCP is free or ours"
      let powered = adapter["Powered"]?.asBool == true ? "on" : "off"
      return Finding(
        what: "Bluetooth", state: .good, sentence: "\(adapter["Address"]?.asString ?? path) is \(powered); \(owner).")
    }
  }

  /// What the running player says of its way to the car: whether it is registered, and where.
  private func car(_ session: DBusConnection) async -> Finding? {
    guard let daemon = try? await DaemonClient.connect(over: session), let status = try? await CarClient(daemon).status(),
      let sentence = status["sentence"]?.asString
    else { return nil }
    let player = status["player"]?.asString ?? ""
    let isReached = status["layer"]?.asString == "own" || !player.isEmpty
    return Finding(
      what: "Car", state: isReached ? .good : .note, sentence: player.isEmpty ? sentence : "\(sentence) Registered as \(player).")
  }

  // MARK: Others

  private func otherPlayers(_ session: DBusConnection) async -> Finding {
    let names = (try? await DaemonClient.busNames(session)) ?? []
    let players = names.filter { $0.hasPrefix("org.mpris.MediaPlayer2.") && !$0.hasPrefix(DaemonClient.mprisName) }
      .map { String($0.dropFirst("org.mpris.MediaPlayer2.".count)) }
    if ProcessList.contains("mpris-proxy") {
      return Finding(
        what: "Other players", state: .note,
        sentence: "mpris-proxy runs and forwards every player to the car, us too; stop it and ipodderx-car does so itself.")
    }
    return players.isEmpty
      ? Finding(what: "Other players", state: .good, sentence: "none on this session's bus.")
      : Finding(
        what: "Other players", state: .note, sentence: "media keys may go to \(players.sorted().joined(separator: ", ")).")
  }
}

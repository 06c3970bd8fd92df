import Reactor

/// Which sink we play to, and which there are.
extension AudioEngine {
  public func outputs() async -> [AudioOutput] {
    guard isConnected else { return [] }
    return await withCheckedContinuation { continuation in
      parts.sink.askSinks { sinks, current in continuation.resume(returning: Self.outputs(sinks, current)) }
    }
  }

  public func setOutput(preferring names: [String]) {
    preferredOutputs = names
    appliedOutputs = nil
    outputsMayHaveChanged()
  }

  func outputsMayHaveChanged() {
    guard isConnected else { return }
    parts.sink.askSinks { [parts] sinks, current in
      parts.tell { $0.outputsAre(Self.outputs(sinks, current)) }
    }
  }

  private func outputsAre(_ outputs: [AudioOutput]) {
    guard isConnected else { return }
    let isFirstWord = !areOutputsKnown
    areOutputsKnown = true
    if outputs != knownOutputs || isFirstWord {
      let came = isFirstWord || Set(outputs.map(\.id)) != Set(knownOutputs.map(\.id))
      let isNew = outputs != knownOutputs
      knownOutputs = outputs
      if isNew { emit(.outputsChanged(outputs)) }
      // A stream that was moved by hand stays there until sinks come or go.
      if came {
        // A stream that is on its way since the first question was asked has them to choose from: another one would be one too many.
        if !outputs.isEmpty, !isFirstWord || streamRate == 0 {
          // Whatever was not answered before was not asked of these.
          streamAttempts = 0
          retryStream()
        }
        return moveToBest()
      }
    }
    if preferredOutputs != appliedOutputs {
      retryStream()
      moveToBest()
    }
  }

  private func moveToBest() {
    appliedOutputs = preferredOutputs
    switch choice(of: knownOutputs) {
    case .servers: outputIsMissing(nil)
    case .output(let best):
      outputIsMissing(nil)
      guard isStreamReady else { return }
      if !isStrict {
        parts.sink.move(to: best)
      } else if knownOutputs.first(where: \.isCurrent)?.id != best {
        leaveStream()
      }
    case .nothing:
      guard current != nil else { return }
      if isStreamReady { leaveStream() }
      lackOutput()
    }
  }

  enum OutputChoice: Equatable {
    /// Whichever the sound server takes.
    case servers
    case output(String)
    /// None that is wanted is there, and no other is.
    case nothing
  }

  /// The first preferred one that is there, by id, title, or a part of the title. At the word `nothing` the search ends in silence.
  func choice(of outputs: [AudioOutput]) -> OutputChoice {
    for name in preferredOutputs {
      let wanted = name.lowercased()
      if wanted == Self.nothing { return .nothing }
      if let exact = outputs.first(where: { $0.id == name || $0.title.lowercased() == wanted }) { return .output(exact.id) }
      if let part = outputs.first(where: { $0.title.lowercased().contains(wanted) }) { return .output(part.id) }
    }
    return .servers
  }

  private static let nothing = "nothing"

  /// Not a sample is to sound on an output that is not wanted.
  var isStrict: Bool { preferredOutputs.contains { $0.lowercased() == Self.nothing } }

  /// Sound was wanted, and may not be where it could.
  func lackOutput() {
    let names = preferredOutputs.prefix { $0.lowercased() != Self.nothing }
    isWanted = false
    outputIsMissing(
      names.isEmpty
        ? "The setting “output” says that nothing is to sound."
        : "None of the wanted outputs is there: \(names.joined(separator: ", ")).")
  }

  private func outputIsMissing(_ sentence: String?) {
    guard sentence != nil || hasMissedOutput else { return }
    hasMissedOutput = sentence != nil
    emit(.outputMissing(sentence))
  }

  private static func outputs(_ sinks: [PulseSink.Sink], _ current: String?) -> [AudioOutput] {
    sinks.map {
      AudioOutput(id: $0.name, title: $0.title, isBluetooth: $0.isBluetooth, isCurrent: $0.name == current)
    }
  }
}

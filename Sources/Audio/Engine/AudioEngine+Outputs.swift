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
    if outputs != knownOutputs {
      let came = Set(outputs.map(\.id)) != Set(knownOutputs.map(\.id))
      knownOutputs = outputs
      emit(.outputsChanged(outputs))
      // A stream that was moved by hand stays there until sinks come or go.
      if came {
        if !outputs.isEmpty { retryStream() }
        return moveToBest()
      }
    }
    if preferredOutputs != appliedOutputs { moveToBest() }
  }

  private func moveToBest() {
    appliedOutputs = preferredOutputs
    guard isStreamReady, let best = bestOutput(of: knownOutputs) else { return }
    parts.sink.move(to: best)
  }

  /// The first preferred one that is there, by id, title, or a part of the title; nil: the server chooses.
  func bestOutput(of outputs: [AudioOutput]) -> String? {
    for name in preferredOutputs {
      let wanted = name.lowercased()
      if let exact = outputs.first(where: { $0.id == name || $0.title.lowercased() == wanted }) { return exact.id }
      if let part = outputs.first(where: { $0.title.lowercased().contains(wanted) }) { return part.id }
    }
    return nil
  }

  private static func outputs(_ sinks: [PulseSink.Sink], _ current: String?) -> [AudioOutput] {
    sinks.map {
      AudioOutput(id: $0.name, title: $0.title, isBluetooth: $0.isBluetooth, isCurrent: $0.name == current)
    }
  }
}

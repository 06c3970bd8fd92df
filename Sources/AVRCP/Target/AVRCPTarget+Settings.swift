extension AVRCPTarget {
  /// Those of the addressed player, unless this car must not see any.
  var settings: [TargetSetting] {
    guard options.allowsSettings, let player else { return [] }
    return player.settings.filter { !$0.values.isEmpty }
  }

  private func setting(_ id: UInt8) -> TargetSetting? { settings.first { $0.id == id } }

  /// 6.5.1: count, ids.
  func settingAttributes(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard parameters.isEmpty else { throw .parameterContentError }
    let settings = settings.prefix(255)
    return [UInt8(clamping: settings.count)] + settings.map(\.id)
  }

  /// 6.5.2: count, values.
  func settingValues(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard parameters.count == 1, let id = parameters.first else { throw .parameterContentError }
    guard let setting = setting(id) else { throw .invalidParameter }
    let values = setting.values.prefix(255)
    return [UInt8(clamping: values.count)] + values.map(\.id)
  }

  /// 6.5.3: count, pairs. Unknown ids among known ones are left out; none known is a fault.
  func currentSettings(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    let chosen = try chosenSettings(parameters)
    return [UInt8(clamping: chosen.count)] + chosen.flatMap { [$0.id, $0.current] }
  }

  /// 6.5.5: count, then id, character set (2), length (1) and text of each.
  func settingAttributeTexts(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    texts(try chosenSettings(parameters).map { ($0.id, $0.name) })
  }

  /// 6.5.6: the same for values of one attribute.
  func settingValueTexts(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [UInt8] {
    guard let id = parameters.first else { throw .parameterContentError }
    let ids = try counted(parameters.dropFirst())
    guard let setting = setting(id) else { throw .invalidParameter }
    let chosen = unique(ids).compactMap { id in setting.values.first { $0.id == id } }
    guard !chosen.isEmpty else { throw .invalidParameter }
    return texts(chosen.map { ($0.id, $0.name) })
  }

  /// 6.5.4: all of the pairs, or none.
  func setSettings(_ parameters: ArraySlice<UInt8>, _ label: UInt8) throws(StatusCode) {
    var reader = ByteReader(parameters)
    guard let count = reader.byte(), reader.remaining == Int(count) * 2, count > 0 else { throw .parameterContentError }
    var pairs: [PlayerSettingPair] = []
    while let attribute = reader.byte(), let value = reader.byte() {
      guard let setting = setting(attribute), setting.values.contains(where: { $0.id == value }) else {
        throw .invalidParameter
      }
      pairs.removeAll { $0.attribute == attribute }
      pairs.append(.init(attribute: attribute, value: value))
    }
    guard let addressed else { throw .invalidParameter }
    try ask(.setPlayerApplicationSettingValue, label) { [model, pairs] () async throws(StatusCode) in
      try await model.set(pairs, player: addressed)
    }
  }

  /// 6.5.7: count, then character sets of two bytes. UTF-8 is always right, so it stays what we send.
  func checkCharacterSets(_ parameters: ArraySlice<UInt8>) throws(StatusCode) {
    guard let count = parameters.first, count > 0, parameters.count == 1 + Int(count) * 2 else {
      throw .parameterContentError
    }
  }

  /// 6.5.8: one byte.
  func checkBattery(_ parameters: ArraySlice<UInt8>) throws(StatusCode) {
    guard parameters.count == 1, let value = parameters.first else { throw .parameterContentError }
    guard BatteryStatus(rawValue: value) != nil else { throw .invalidParameter }
  }

  private func chosenSettings(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> [TargetSetting] {
    let chosen = unique(try counted(parameters)).compactMap { setting($0) }
    guard !chosen.isEmpty else { throw .invalidParameter }
    return chosen
  }

  /// A count and as many bytes.
  private func counted(_ parameters: ArraySlice<UInt8>) throws(StatusCode) -> ArraySlice<UInt8> {
    guard let count = parameters.first, parameters.count == 1 + Int(count) else { throw .parameterContentError }
    return parameters.dropFirst()
  }

  private func unique(_ ids: ArraySlice<UInt8>) -> [UInt8] {
    var seen: [UInt8] = []
    for id in ids where !seen.contains(id) { seen.append(id) }
    return seen
  }

  private func texts(_ texts: [(id: UInt8, text: String)]) -> [UInt8] {
    var bytes: [UInt8] = [UInt8(clamping: texts.count)]
    for (id, text) in texts {
      let text = Text.cut(text, to: min(255, options.maximumFieldLength))
      bytes.append(id)
      bytes.put(CharacterSet.utf8.rawValue)
      bytes.append(UInt8(clamping: text.count))
      bytes.append(contentsOf: text)
    }
    return bytes
  }
}

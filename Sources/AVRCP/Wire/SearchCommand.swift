/// AVRCP 1.6.2, 6.11.1: character set (2), length (2), text.
public struct SearchCommand: Sendable, Equatable {
  public var characterSet: UInt16
  public var text: ArraySlice<UInt8>

  public init(_ text: String) {
    characterSet = CharacterSet.utf8.rawValue
    self.text = Array(text.utf8)[...]
  }

  public init?(_ parameters: ArraySlice<UInt8>) {
    var reader = ByteReader(parameters)
    guard let characterSet = reader.number(UInt16.self), let length = reader.number(UInt16.self),
      reader.remaining == Int(length)
    else { return nil }
    self.characterSet = characterSet
    text = reader.rest()
  }

  public var parameters: [UInt8] {
    var bytes: [UInt8] = []
    bytes.put(characterSet)
    bytes.put(UInt16(clamping: text.count))
    bytes.append(contentsOf: text)
    return bytes
  }
}

/// AVRCP 1.6.2, 6.10.3: 16 bits, 0 for a player that does not watch its database.
public enum UIDCounter {
  /// A counter of any width as 1 ... 65535, in which two that follow each other always differ.
  public static func folding(_ counter: UInt32) -> UInt16 {
    UInt16(counter % 0xFFFF) + 1
  }
}

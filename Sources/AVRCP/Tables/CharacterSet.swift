/// IANA's MIBenum numbers. Every controller must take UTF-8, so nothing else is ever sent.
public enum CharacterSet: UInt16, Sendable {
  case usASCII = 3
  case utf8 = 106
}

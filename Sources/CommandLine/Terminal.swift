import CLinux
import Glibc
import Reactor

/// What of a terminal the commands need: its width, its keys one at a time, text cut to columns.
public enum Terminal {
  /// Columns of the terminal behind `descriptor`; nil when it is none.
  public static func width(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

  public static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Columns that `character` takes: 2 for the wide scripts and emoji, 0 for marks that join the one before.
  public static func columns(of character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first else { return 0 }
    // Shown as a picture by itself (☔), or asked to be one by the selector behind it (☁️).
    if scalar.properties.isEmojiPresentation || character.unicodeScalars.dropFirst().first?.value == 0xFE0F { return 2 }
    switch scalar.value {
    case 0x0300...0x036F, 0x200B...0x200F, 0xFE00...0xFE0F: return 0
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  public static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// At most `width` columns, the end replaced by … where it is longer.
  public static func cut(_ text: String, to width: Int) -> String {
    let text = text.printable
    guard columns(of: text) > width else { return text }
    var kept = ""
    var used = 1
    for character in text {
      used += columns(of: character)
      if used > width { break }
      kept.append(character)
    }
    return width > 0 ? kept + "…" : ""
  }

  public static func padded(_ text: String, to width: Int) -> String {
    let text = cut(text, to: width)
    return text + String(repeating: " ", count: max(0, width - columns(of: text)))
  }

  /// `fraction` of 0 … 1 as a bar of `width` columns.
  public static func bar(_ fraction: Double, width: Int) -> String {
    let filled = Int((min(1, max(0, fraction)) * Double(width)).rounded())
    return String(repeating: "━", count: filled) + String(repeating: "─", count: width - filled)
  }
}

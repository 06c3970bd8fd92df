import IPX
import Reactor
import Settings

/// What a `Library` is made from.
public struct LibraryOptions: Sendable {
  /// The page's address, for people; empty where there is no server.
  public var server: String
  /// Nil where there is no server.
  public var client: APIClient?
  public var media: any MediaAccess
  /// The server's own folder, with its store and `kept/`.
  public var folder: String
  /// `art/`, shared by all servers: files are named by their content.
  public var artFolder: String
  public var settings: SettingsValues
  public var timekeeper: any Timekeeper
  /// Tells when the network returns; nil: only `networkReturned` does.
  public var network: NetworkWatch?
  /// The counter begins above it, whatever the store says: that of the library whose place this one takes. 0: there was none.
  public var counterAbove: UInt32

  public init(
    server: String, client: APIClient?, media: any MediaAccess, folder: String, artFolder: String, settings: SettingsValues,
    timekeeper: any Timekeeper = SystemTimekeeper(), network: NetworkWatch? = nil, counterAbove: UInt32 = 0
  ) {
    self.counterAbove = counterAbove
    self.network = network
    self.server = server
    self.client = client
    self.media = media
    self.folder = folder
    self.artFolder = artFolder
    self.settings = settings
    self.timekeeper = timekeeper
  }

  /// The folder of a server under `data`, named by its address, so that each server's store stays apart. Where the name cannot tell it from
  /// all others, or would be too long for one, a sum of it follows.
  public static func folder(data: String, server: String) -> String {
    var name = ""
    for scalar in server.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "-", "_": name.unicodeScalars.append(scalar)
      case ":" where name.hasSuffix("https") || name.hasSuffix("http"): continue
      default: if !name.hasSuffix("+") { name += "+" }
      }
    }
    while name.hasSuffix("+") { name.removeLast() }
    if !isPlain(server) || name.utf8.count > longestName {
      let hash = server.stableHash
      name = name.prefix(longestName) + "~" + String(hash, radix: 16)
    }
    return data + "/servers/" + (name.isEmpty ? "none" : name)
  }

  private static let longestName = 200

  /// `scheme://host:port/path` of letters, digits and `.-_`, and nothing that reads as two of them: no other such address has its name.
  private static func isPlain(_ server: String) -> Bool {
    guard let mark = server.firstRange(of: "://") else { return true }
    let parts = server[mark.upperBound...].split(separator: "/", omittingEmptySubsequences: false)
    let authority = parts[0].split(separator: ":", omittingEmptySubsequences: false)
    let isPort: (Substring) -> Bool = { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    let isWord: (Substring) -> Bool = { word in
      !word.isEmpty
        && word.unicodeScalars.allSatisfy {
          $0.isASCII && ($0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0))
        }
    }
    guard authority.count <= 2, isWord(authority[0]), authority.count == 1 || isPort(authority[1]) else { return false }
    return parts.dropFirst().allSatisfy(isWord) && (authority.count == 2 || parts.count < 2 || !isPort(parts[1]))
  }
}

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

  /// The folder of a server under `data`, named by its address, so that each server's store stays apart.
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
    return data + "/servers/" + (name.isEmpty ? "none" : name)
  }
}

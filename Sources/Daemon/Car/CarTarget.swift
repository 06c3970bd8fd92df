import AVRCP
import CommandLine
import DBus
import Glibc
import Reactor

/// `car target`: the target of the running daemon over descriptors that we inherited.
enum CarTarget {
  static func run(_ invocation: Invocation) async throws(CommandError) {
    guard let control = try invocation.number("control-fd", in: 0...1_000_000) else {
      throw .usage("`car target` needs --control-fd N, a connected SOCK_SEQPACKET descriptor.")
    }
    var descriptors = [Int32(control)]
    if let browsing = try invocation.number("browse-fd", in: 0...1_000_000) {
      guard browsing != control else { throw .usage("--control-fd and --browse-fd are two descriptors, not the same one twice.") }
      descriptors.append(Int32(browsing))
    }
    for descriptor in descriptors where fcntl(descriptor, F_GETFD) < 0 {
      throw .usage("There is no descriptor \(descriptor) here.")
    }
    var options: [(String, DBusValue)] = []
    if let mtu = try invocation.number("control-mtu", in: 48...65535) { options.append(("controlMTU", .uint16(UInt16(mtu)))) }
    if let mtu = try invocation.number("browse-mtu", in: 48...65535) { options.append(("browsingMTU", .uint16(UInt16(mtu)))) }
    if let version = invocation.options["peer-version"] {
      guard ProfileVersion(version) != nil else { throw .usage("--peer-version takes 1.0 to 1.6, not “\(version.brief)”.") }
      options.append(("version", .string(version)))
    }
    if let features = try bits("peer-features", invocation) { options.append(("features", .uint16(features))) }
    if let features = try bits("peer-target-features", invocation) { options.append(("targetFeatures", .uint16(features))) }
    let client = try await CarClient()
    let endings = try await client.endings()
    let session = try await client.attach(descriptors, options)
    for await ended in endings where ended == session { return }
    throw .refused("The player has ended.")
  }

  private static func bits(_ name: String, _ invocation: Invocation) throws(CommandError) -> UInt16? {
    guard let text = invocation.options[name] else { return nil }
    let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
    guard let bits = UInt16(isHexadecimal ? text.dropFirst(2) : Substring(text), radix: isHexadecimal ? 16 : 10) else {
      throw .usage("--\(name) takes 16 bits, such as 0x00c3, not “\(text.brief)”.")
    }
    return bits
  }
}

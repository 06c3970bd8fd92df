import CommandLine
import DBus

/// `car status`: from the running daemon.
enum CarStatus {
  static func show(_ output: Output) async throws(CommandError) {
    let status = try await CarClient().status()
    output.json(.object(status.mapValues(JSON.init)))
    for line in lines(status) { output.line(line) }
  }

  static func lines(_ status: [String: DBusValue]) -> [String] {
    var lines = [status["sentence"]?.asString ?? ""]
    for adapter in list(status["adapters"]) {
      let place = "\(adapter["address"]?.asString ?? ""), \(adapter["powered"]?.asBool == true ? "on" : "off")"
      lines.append("Adapter \(place)" + (adapter["registered"]?.asBool == true ? ", our player is registered there" : ""))
    }
    for device in list(status["devices"]) {
      var words = ["Device \(device["name"]?.asString ?? "") (\(device["address"]?.asString ?? ""))"]
      if device["audio"]?.asBool == true {
        words.append(device["streaming"]?.asBool == true ? "sound goes there" : "sound may go there")
      }
      if device["controlled"]?.asBool == true { words.append("controlled through bluetoothd") }
      lines.append(words.joined(separator: ", "))
    }
    for car in list(status["cars"]) { lines += self.car(car) }
    return lines
  }

  private static func car(_ car: [String: DBusValue]) -> [String] {
    let name = car["name"]?.asString.map { "\($0) (\(car["address"]?.asString ?? ""))" } ?? "an attached tester"
    var words = ["Car \(name): AVRCP \(car["inUse"]?.asString ?? "?")"]
    if let version = car["version"]?.asString, !version.isEmpty { words.append("its own \(version)") }
    words.append("features 0x" + String(car["features"]?.asUInt32 ?? 0, radix: 16))
    words.append("control MTU \(car["controlMTU"]?.asUInt32 ?? 0)")
    words.append(car["browsing"]?.asBool == true ? "browsing MTU \(car["browsingMTU"]?.asUInt32 ?? 0)" : "no browsing channel")
    var lines = [words.joined(separator: ", ")]
    if let title = car["title"]?.asString {
      let player = car["player"]?.asString ?? ""
      lines.append("  shows \(player), \(car["status"]?.asString ?? ""): \(title) · \(car["artist"]?.asString ?? "")")
    }
    return lines
  }

  private static func list(_ value: DBusValue?) -> [[String: DBusValue]] { (value?.asArray ?? []).compactMap(\.asDictionary) }
}

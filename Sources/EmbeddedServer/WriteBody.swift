import FoundationEssentials
import Reactor

/// What PUT carries.
enum WriteBody {
  static func position(_ body: [UInt8]) throws(BadRequest) -> (seconds: Double, at: WallTime) {
    guard let place = try? JSONDecoder().decode(Place.self, from: Data(body)) else {
      throw BadRequest("{\"position\": seconds, \"at\": \"2026-11-29T07:12:00Z\"} is asked for")
    }
    guard place.position.isFinite, place.position >= 0 else { throw BadRequest("“position” is negative") }
    guard let at = Timestamp.time(place.at) else { throw BadRequest("“at” is not a moment in ISO 8601") }
    return (place.position, at)
  }

  static func flag(_ name: String, _ body: [UInt8]) throws(BadRequest) -> Bool {
    guard let flag = (try? JSONDecoder().decode([String: Bool].self, from: Data(body)))?[name] else {
      throw BadRequest("{\"\(name)\": true} or false is asked for")
    }
    return flag
  }

  private struct Place: Decodable {
    let position: Double
    let at: String

    enum Key: CodingKey { case position, at }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      position = try container.decode(Double.self, forKey: .position)
      // A moment may be written as Unix seconds too.
      if let text = try? container.decode(String.self, forKey: .at) {
        at = text
      } else {
        at = try container.decode(Double.self, forKey: .at).description
      }
    }
  }
}

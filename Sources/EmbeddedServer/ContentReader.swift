import CMicrohttpd

/// A body made as it is sent.
final class ContentReader {
  enum Source {
    case repeated(unit: [UInt8], offset: Int64)
    case events(EventClient, EventHub, OpaquePointer)
  }

  private let source: Source

  init(_ source: Source) {
    self.source = source
  }

  /// A response that holds this reader until it is destroyed.
  func response(size: UInt64) -> OpaquePointer? {
    let retained = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_callback(
      size, 32 << 10,
      { context, position, buffer, room in
        guard let context, let buffer else { return cmhd_end_of_stream }
        let reader = Unmanaged<ContentReader>.fromOpaque(context).takeUnretainedValue()
        return reader.read(at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: room))
      }, retained.toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<ContentReader>.fromOpaque(context).takeRetainedValue().end()
      })
    if response == nil {
      retained.release()
      end()
    }
    return response
  }

  private func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    switch source {
    case .events(let client, _, let connection): return client.read(into: buffer, connection: connection)
    case .repeated(let unit, let offset):
      var place = Int((UInt64(offset) &+ position) % UInt64(unit.count))
      var filled = 0
      while filled < buffer.count {
        let count = min(unit.count - place, buffer.count - filled)
        UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]).copyBytes(from: unit[place..<(place + count)])
        filled += count
        place = 0
      }
      return filled
    }
  }

  private func end() {
    if case .events(let client, let hub, _) = source { hub.detach(client) }
  }
}

import CLinux
import Glibc

/// One connection of a `FaultServer`, on its own thread.
final class FaultServerConnection {
  private let socket: Int32
  private let shared: FaultServer.Shared
  private var input: [UInt8] = []
  private var count = 0

  init(_ socket: Int32, _ shared: FaultServer.Shared) {
    self.socket = socket
    self.shared = shared
  }

  func serve() {
    var (one, size): (Int32, Int32) = (1, 16 << 10)
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &size, 4)
    while let request = readRequest(), answer(request) {
      shared.state.withLock { _ = $0.busy.remove(socket) }
    }
    let waiters = shared.state.withLock { state in
      state.connections.remove(socket)
      state.busy.remove(socket)
      // Closed under the lock: its number may belong to another the moment after.
      close(socket)
      state.closedCount += 1
      defer { state.closeWaiters.removeAll { $0.count <= state.closedCount } }
      return state.closeWaiters.filter { $0.count <= state.closedCount }
    }
    for waiter in waiters { waiter.continuation.resume() }
  }

  // MARK: reading

  private func readRequest() -> FaultServer.Request? {
    let ending = Array("\r\n\r\n".utf8)
    var headEnd: Int?
    while true {
      headEnd = input.indices.first { $0 + 4 <= input.count && Array(input[$0..<($0 + 4)]) == ending }
      if headEnd != nil { break }
      guard receive() else { return nil }
      // A TLS hello where plain text is spoken: answered as such servers do.
      if input.first == 0x16 {
        _ = send(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        return nil
      }
    }
    guard let headEnd else { return nil }
    let lines = String(decoding: input[..<headEnd], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count == 3 else { return nil }
    let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return (String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " }))
    }
    let length = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
    while input.count < headEnd + 4 + length {
      guard receive() else { return nil }
    }
    let body = Array(input[(headEnd + 4)..<(headEnd + 4 + length)])
    input.removeFirst(headEnd + 4 + length)
    var request = FaultServer.Request(
      number: 0, method: String(words[0]), path: String(words[1]), headers: headers, body: body, isReused: count > 0)
    count += 1
    let waiters = shared.state.withLock { state in
      request.number = state.requestCount
      state.requests.append(request)
      state.busy.insert(socket)
      let asked = state.requestCount
      defer { state.waiters.removeAll { $0.count <= asked } }
      return state.waiters.filter { $0.count <= asked }
    }
    for waiter in waiters { waiter.continuation.resume() }
    return request
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let got = recv(socket, &buffer, buffer.count, 0)
    guard got > 0 else { return false }
    input += buffer[..<got]
    return true
  }

  // MARK: answering

  /// False when the connection is to end.
  private func answer(_ request: FaultServer.Request) -> Bool {
    let (judge, served, etag) = shared.state.withLock { ($0.answer, $0.content, $0.etag) }
    let reply =
      judge?(request) ?? shared.state.withLock { $0.script.isEmpty ? .well : $0.script.removeFirst() }
    if reply.hangsUp { return false }
    if reply.isSilent { return waitForEnd() }
    if let raw = reply.raw {
      _ = send(raw)
      return false
    }
    var content = reply.body.map(FaultServer.Content.bytes) ?? reply.content ?? served
    if reply.isGzipped { content = .bytes(StoredGzip.pack(content)) }
    var (from, end, status) = (Int64(0), content.length, reply.status ?? 200)
    var head: [(String, String)] = []
    let validator = request.header("If-Range")
    if let range = request.range, !reply.ignoresRange, reply.body == nil, reply.status == nil,
      validator == nil || validator == etag
    {
      if range.from >= content.length {
        status = 416
        end = 0
        head.append(("Content-Range", reply.contentRange ?? "bytes */\(content.length)"))
      } else {
        status = 206
        from = min(range.from + reply.shift, content.length)
        end = min(range.through.map { $0 + 1 } ?? content.length, content.length)
        if let most = reply.atMost { end = min(end, from + most) }
        end = max(from, end)
        head.append(("Content-Range", reply.contentRange ?? "bytes \(from)-\(end - 1)/\(content.length)"))
      }
    }
    if reply.body == nil {
      head += [("Content-Type", "audio/mpeg"), ("Accept-Ranges", "bytes")]
      if let etag { head.append(("ETag", etag)) }
    }
    if reply.isGzipped { head.append(("Content-Encoding", "gzip")) }
    if reply.isChunked { head.append(("Transfer-Encoding", "chunked")) }
    if !reply.isChunked, !reply.isLengthless { head.append(("Content-Length", "\(end - from)")) }
    let closes = reply.closes || reply.isLengthless
    if closes { head.append(("Connection", "close")) }
    for (name, value) in reply.headers {
      head.removeAll { $0.0.lowercased() == name.lowercased() && name.lowercased() != "set-cookie" }
      if !value.isEmpty { head.append((name, value)) }
    }
    let text = "HTTP/1.1 \(status) Told\r\n" + head.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    guard send(Array(text.utf8)) else { return false }
    if request.method == "HEAD" { return !closes }
    return sendBody(content, from, end, reply, number: request.number) && !closes
  }

  private func sendBody(
    _ content: FaultServer.Content, _ from: Int64, _ end: Int64, _ reply: FaultServer.Reply, number: Int
  ) -> Bool {
    var offset = from
    while offset < end || reply.cutAfter != nil || reply.stallAfter != nil {
      let sent = offset - from
      if let cut = reply.cutAfter, sent >= cut || offset >= end {
        if reply.isReset {
          var lingering = linger(l_onoff: 1, l_linger: 0)
          setsockopt(socket, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        }
        return false
      }
      if let stall = reply.stallAfter, sent >= stall || offset >= end { return waitForEnd() }
      let limit = min(end, from + min(reply.cutAfter ?? .max / 2, reply.stallAfter ?? .max / 2))
      let size = Int(min(16 << 10, limit - offset))
      var piece = [UInt8](repeating: 0, count: size)
      piece.withUnsafeMutableBytes { content.fill(offset, $0) }
      if reply.isChunked { piece = Array("\(String(size, radix: 16))\r\n".utf8) + piece + [13, 10] }
      guard send(piece, counted: number, as: size) else { return false }
      offset += Int64(size)
    }
    return reply.isChunked ? send(Array("0\r\n\r\n".utf8)) : true
  }

  private func send(_ bytes: [UInt8], counted number: Int? = nil, as size: Int = 0) -> Bool {
    var done = 0
    while done < bytes.count {
      let sent = bytes.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      done += sent
      guard let number else { continue }
      shared.state.withLock { state in
        guard number >= state.forgotten else { return }
        state.requests[number - state.forgotten].bytesSent += Int64(min(sent, size))
      }
    }
    return true
  }

  /// Waits until the other side, or `dropConnections`, ends the connection.
  private func waitForEnd() -> Bool {
    while receive() {}
    return false
  }
}

/// gzip without compression (RFC 1951, 3.2.4): stored blocks.
enum StoredGzip {
  static func pack(_ content: FaultServer.Content) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(content.length))
    bytes.withUnsafeMutableBytes { content.fill(0, $0) }
    var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    var at = 0
    repeat {
      let size = min(65_535, bytes.count - at)
      let isLast = at + size >= bytes.count
      packed += [isLast ? 1 : 0, UInt8(size & 255), UInt8(size >> 8), UInt8(~size & 255), UInt8((~size >> 8) & 255)]
      packed += bytes[at..<(at + size)]
      at += size
    } while at < bytes.count
    for value in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      packed += (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    return packed
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    let table = (0..<256).map { (index: Int) -> UInt32 in
      (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
    return ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
  }
}

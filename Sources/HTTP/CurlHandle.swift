import CCurl
import Glibc
import Reactor

/// curl's easy handle set up for one hop, with the memory it points to.
final class CurlHandle {
  let easy: UnsafeMutableRawPointer
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  init?(_ request: HTTPRequest, _ plan: RedirectPlan, _ client: HTTPClient.Means, for transfer: HTTPTransfer) {
    guard let easy = curl_easy_init() else {
      errorText.deallocate()
      return nil
    }
    self.easy = easy
    errorText[0] = 0
    _ = ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    setAddress(plan, client)
    setMethod(plan)
    setHeaders(request, plan, client)
    setTransport(request)
    setCallbacks(transfer)
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  /// What curl itself says, for faults that need it.
  var detail: String { String(cString: errorText) }

  private func setAddress(_ plan: RedirectPlan, _ client: HTTPClient.Means) {
    _ = ccurl_set_string(easy, CURLOPT_URL, plan.address.description)
    _ = ccurl_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    _ = ccurl_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
    // What the address says is asked: /a/../b is the server's own business.
    _ = ccurl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    _ = ccurl_set_long(easy, CURLOPT_NETRC, 0)
    if let info = plan.userInfo {
      let parts = info.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      for (option, part) in zip([CURLOPT_USERNAME, CURLOPT_PASSWORD], parts) {
        var length: Int32 = 0
        guard let plain = curl_easy_unescape(easy, part, 0, &length) else { continue }
        _ = ccurl_set_string(easy, option, plain)
        curl_free(plain)
      }
    }
    if let file = client.caFile { _ = ccurl_set_string(easy, CURLOPT_CAINFO, file) }
  }

  private func setMethod(_ plan: RedirectPlan) {
    switch plan.method {
    case "GET" where plan.body == nil: _ = ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
    case "HEAD": _ = ccurl_set_long(easy, CURLOPT_NOBODY, 1)
    default:
      let body = plan.body ?? []
      _ = ccurl_set_off(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
      body.withUnsafeBytes { bytes in
        var nothing: UInt8 = 0
        withUnsafeMutablePointer(to: &nothing) { nothing in
          let start = bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? UnsafeMutableRawPointer(nothing)
          _ = ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
        }
      }
      _ = ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, plan.method)
    }
  }

  private func setHeaders(_ request: HTTPRequest, _ plan: RedirectPlan, _ client: HTTPClient.Means) {
    var headers = plan.headers
    if let range = request.range {
      headers.append(("Range", "bytes=\(range.from)-\(range.through.map(String.init) ?? "")"))
      if let validator = request.ifRange { headers.append(("If-Range", validator)) }
    }
    let names = Set(headers.map { $0.0.lowercased() })
    for (name, value) in headers { add(name, value) }
    // curl's own additions, where they are not wanted.
    headerList = curl_slist_append(headerList, "Expect:")
    if plan.body != nil, !names.contains("content-type") { headerList = curl_slist_append(headerList, "Content-Type:") }
    _ = ccurl_set_list(easy, CURLOPT_HTTPHEADER, headerList)
    _ = ccurl_set_string(easy, CURLOPT_USERAGENT, client.userAgent)
    // Whatever is asked for, an encoded body is decoded; a media file is asked for as it is.
    if request.takesAsIs { _ = ccurl_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0) }
    if !names.contains("accept-encoding") {
      _ = ccurl_set_string(easy, CURLOPT_ACCEPT_ENCODING, request.isMedia || request.range != nil ? "identity" : "")
    }
  }

  private func add(_ name: String, _ value: String) {
    let clean = String(String.UnicodeScalarView(value.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" }))
    guard let grown = curl_slist_append(headerList, clean.isEmpty ? "\(name);" : "\(name): \(clean)") else { return }
    headerList = grown
  }

  private func setTransport(_ request: HTTPRequest) {
    // HTTP/1.1 throughout: in 7.88 an HTTP/2 stream that pauses still takes in a window of 32 MB.
    _ = ccurl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    _ = ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    _ = ccurl_set_long(easy, CURLOPT_NOPROGRESS, 1)
    _ = ccurl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 0)
    _ = ccurl_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, request.connectTimeout.wholeMilliseconds)
    // Idle connections outlive a pause; a dead one is noticed and replaced by curl itself.
    _ = ccurl_set_long(easy, CURLOPT_MAXAGE_CONN, 600)
    _ = ccurl_set_long(easy, CURLOPT_BUFFERSIZE, 32 << 10)
    if request.freshConnection { _ = ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, 1) }
    guard request.isMedia || request.lowPriority else { return }
    // The two wishes travel in the pointer itself.
    let wishes = (request.isMedia ? 1 : 0) | (request.lowPriority ? 2 : 0)
    _ = ccurl_set_pointer(easy, CURLOPT_SOCKOPTDATA, UnsafeMutableRawPointer(bitPattern: wishes))
    _ = ccurl_set_sockopt_callback(easy) { wishes, socket, _ in
      let wishes = Int(bitPattern: wishes)
      if wishes & 1 != 0 { ccurl_limit_receive_buffer(socket, 256 << 10) }
      if wishes & 2 != 0 { ccurl_lower_effort(socket) }
      return CURL_SOCKOPT_OK
    }
  }

  private func setCallbacks(_ transfer: HTTPTransfer) {
    let pointer = Unmanaged.passUnretained(transfer).toOpaque()
    _ = ccurl_set_pointer(easy, CURLOPT_HEADERDATA, pointer)
    _ = ccurl_set_pointer(easy, CURLOPT_WRITEDATA, pointer)
    _ = ccurl_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
      guard let bytes, let transfer else { return 0 }
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue().headerLine(line) ? line.count : 0
    }
    _ = ccurl_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
      guard let bytes, let transfer else { return 0 }
      let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue().bodyPiece(piece)
    }
  }
}

extension Duration {
  /// For curl: at least 1, at most a day.
  fileprivate var wholeMilliseconds: Int {
    Int(max(1, min(inSeconds * 1000, 86_400_000)))
  }
}

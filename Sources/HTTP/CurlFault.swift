import CCurl

/// curl's result codes in our words.
enum CurlFault {
  static func error(_ code: CURLcode, _ handle: CurlHandle?, _ address: WebAddress?, hasHead: Bool) -> HTTPError {
    let host = address?.origin.authority ?? "The server"
    let detail = handle?.detail ?? ""
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      return HTTPError(.resolve, "The name \(host) is not known here now.")
    case CURLE_COULDNT_CONNECT:
      return HTTPError(.connect, "\(host) cannot be reached.")
    case CURLE_OPERATION_TIMEDOUT:
      return HTTPError(.timeout, "\(host) does not answer.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      return HTTPError(.tls, "No trusted connection to \(host): \(detail.isEmpty ? "TLS failed" : detail).")
    case CURLE_PARTIAL_FILE:
      return HTTPError(.short, "\(host) ended its answer before it was complete.")
    case CURLE_GOT_NOTHING:
      return HTTPError(.reset, "\(host) closed the connection without an answer.")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      return HTTPError(.reset, hasHead ? "The connection to \(host) broke." : "\(host) broke the connection before it answered.")
    case CURLE_URL_MALFORMAT:
      return HTTPError(.badURL, "The address of \(host) is not valid.")
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
      return HTTPError(.protocolError, "\(host) did not answer with HTTP.")
    case CURLE_BAD_CONTENT_ENCODING:
      return HTTPError(.packing, "\(host) sent what cannot be unpacked.")
    default:
      return HTTPError(.protocolError, "The exchange with \(host) failed: \(detail.isEmpty ? "curl gives no reason" : detail).")
    }
  }
}

/// Takes one answer as it arrives, on the client's queue: it must return at once. Every `HTTPClient.start` ends in exactly one
/// `finished`; nothing comes after that.
public protocol HTTPReceiver: AnyObject, Sendable {
  /// The head of the answer, redirects followed. Throwing ends the transfer with that error.
  func began(_ head: HTTPHead) throws(HTTPError)
  /// Some of the body. False: not taken; the transfer stands still, and the same bytes come again after `HTTPTransfer.resume`.
  func received(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Bool
  func finished(_ result: Result<HTTPHead, HTTPError>)
}

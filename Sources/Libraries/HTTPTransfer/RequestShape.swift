/// The options of an easy handle that requests to the same destination share, so that they need not be set again.
///
/// Setting all of them costs as much as libcurl's own work for a small request. Only requests without a body, or with one in
/// memory, have a shape: the options for a body that is read in portions are removed after the request.
struct RequestShape: Equatable {
  private enum Body { case none, bytes }

  private let method: String
  private let body: Body
  private let caFile: String?
  private let identity: ClientIdentity?
  private let proxy: Proxy?
  private let unixSocket: String?
  private let mayBeRepeated: Bool
  private let connectTimeout: Duration
  private let stallTimeout: Duration?
  private let totalTimeout: Duration?
  private let answerTimeout: Duration?

  /// The shape of a request; nil if it has none.
  init?(_ request: HTTPRequest) {
    switch request.body {
    case .none: body = .none
    case .bytes: body = .bytes
    case .file, .framed: return nil
    }
    method = request.method
    caFile = request.caFile
    identity = request.identity
    proxy = request.proxy
    unixSocket = request.unixSocket
    mayBeRepeated = request.mayBeRepeated
    connectTimeout = request.connectTimeout
    stallTimeout = request.stallTimeout
    totalTimeout = request.totalTimeout
    answerTimeout = request.answerTimeout
  }
}

extension ClientIdentity: Equatable {
  /// Two are equal if they are the same object.
  public static func == (one: ClientIdentity, other: ClientIdentity) -> Bool { one === other }
}

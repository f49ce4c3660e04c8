import HTTPTransfer
public import Messages

extension ProblemDocument: Error {
  /// The media type of a problem document.
  public static let mediaType = "application/problem+json"

  /// Creates a problem of a kind, which has the status unless another is given; `group` with a 409.
  public init(_ code: ProblemCode, status: Int? = nil, saying detail: Message, group: ReasonGroup? = nil) {
    self.init(status: status ?? code.status, detail: nil)
    (self.code, self.detail, self.group) = (code, detail, group)
  }

  /// Creates a problem of which only the status is known.
  public init(status: Int, detail: String?) {
    self.init(
      type: "about:blank", title: ReasonPhrase.of(status) ?? "Error", status: status, detail: detail.map { .text($0) })
  }

  /// The detail; the title if there is none.
  public var said: Message { detail ?? .text(title) }
}

extension ProblemCode {
  /// The HTTP status of the kind.
  public var status: Int {
    switch self {
    case .invalidRequest: 400
    case .browser, .onBehalfOf, .host, .token: 403
    case .unknownPath, .unknownJob, .unknownGroup, .unknownDestination: 404
    case .methodNotAllowed: 405
    case .wrongState, .wrongRevision, .groupChanged, .releaseFailed, .spoolNotConfigured, .fileInPlace: 409
    case .bodyTooLarge: 413
    case .configurationRejected, .linkRejected, .backendNotConfigured: 422
    case .internalError: 500
    case .noDaemon: 502
    case .stopping, .overloaded: 503
    }
  }
}

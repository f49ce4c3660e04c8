public import Messages

/// The reason why an attempt at a step failed, in one form for all libraries and servers.
public struct Failure: Error, Hashable, Sendable {
  /// The kind of failure. The ``Verdict`` depends on it. Programs see it as `error.kind`.
  public enum Kind: String, Sendable, CaseIterable {
    /// 503: the service is not available.
    case unavailable
    /// The key or token was refused, or could not be read.
    case credentials
    /// No way to the destination was found: name, route, connection, handshake, proxy; or its certificate is not valid yet.
    case network
    /// 429: too many requests.
    case throttled
    /// May pass by itself: other 5xx, time-outs, a lost connection, an answer that cannot be understood.
    case transient
    /// The destination is at fault or set up wrongly, not the file: wrong bucket, missing permission, redirect, certificate.
    case destination
    /// 409 from the backend.
    case conflict
    /// The request was refused because of its content: any other 4xx.
    case rejected
    /// The file cannot be read or is gone.
    case file
    /// The file changed while it was being read.
    case fileChanged = "file-changed"
    /// The destination is not configured, or the configuration cannot serve this job.
    case configuration
  }

  /// The kind, which decides what happens next.
  public var kind: Kind
  /// The HTTP status, if an answer came.
  public var status: Int?
  /// The server's own code (S3's `Code`) or the local error's name (`ECONNREFUSED`, `curl-28`).
  public var code: String?
  /// The reason, as a question shows it: `HTTP 422: invoice number is taken`.
  public var message: Message
  /// The wait that the server asked for.
  public var retryAfter: Duration?
  /// True if the server may have done what was asked although the answer is a failure or never came.
  public var mayHaveActed: Bool
  /// True if the attempt has stored parts of the file that no attempt had stored before: the schedule of retries begins anew. Not in the
  /// ledger.
  public var hasProgressed = false
  /// The backend, if it failed to grant an upload: not the storage is at fault then.
  public var grantor: Destination?
  /// The beginning of the answer, escaped line by line; nil if none came. The ledger keeps the last answer of a job apart from
  /// the failure: a job that is read from the ledger has none here.
  public var answer: String?

  /// The code of the question about a file that may have been sent before the list of sent files was lost (`after = "keep"`).
  public static let lostListCode = "may-have-been-sent"

  /// The code of a request whose time a storage refuses: the clocks are too far apart, so it refuses every request.
  public static let clockCode = "RequestTimeTooSkewed"

  /// The code of the question about a document whose sidecar did not come, or cannot be used.
  public static let sidecarCode = "sidecar"

  package var words: String { message.text }

  /// Creates a failure with its reason; set `mayHaveActed` if the request may have taken effect all the same.
  public init(
    _ kind: Kind, _ message: Message, status: Int? = nil, code: String? = nil, retryAfter: Duration? = nil,
    mayHaveActed: Bool = false, answer: String? = nil
  ) {
    self.kind = kind
    self.message = message
    self.status = status
    self.code = code
    self.retryAfter = retryAfter
    self.mayHaveActed = mayHaveActed
    self.answer = answer
  }
}

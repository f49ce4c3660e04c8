public import Messages

extension Gate {
  /// The meaning of a failed attempt for its destination.
  public struct Symptom: Hashable, Sendable {
    /// The kinds of symptom.
    public enum Kind: Sendable, CaseIterable {
      /// A 503 that aborts its job.
      case unavailable
      /// 500, 502, 504, 507, 520 to 530, a time-out, a lost connection, an answer that is no HTTP, or a 503 with
      /// `unavailable = "retry"`.
      case gateway
      /// 429.
      case throttled
      /// The key was refused.
      case credentials
      /// No way to the destination was found.
      case network
      /// The destination itself is at fault or set up wrongly, whatever the job.
      case destination
      /// An answer that may mean a fault of the destination, or a refusal of this job alone.
      case doubtful
      /// Another fault that may pass by itself.
      case transient
      /// The destination is there and answers: it refused only this job's request.
      case answered
      /// Nothing: the attempt failed on this side.
      case local

      /// The reason for which the symptom closes a gate; nil if it closes none.
      public var reason: Reason? {
        switch self {
        case .unavailable: .unavailable
        case .gateway: .gateway
        case .throttled: .throttled
        case .credentials: .credentials
        case .network: .network
        case .destination, .doubtful: .question
        case .transient, .answered, .local: nil
        }
      }
    }

    package var kind: Kind
    package var retryAfter: Duration?
    /// The reason, if the look before the job failed; nil if the job's own request failed.
    public var look: Message?

    /// The refusal, if the job was refused; nil otherwise.
    public var rejection: Rejection?

    package init(_ kind: Kind, retryAfter: Duration? = nil, rejection: Rejection? = nil) {
      self.kind = kind
      self.retryAfter = retryAfter
      self.rejection = rejection
    }

    /// Creates the symptom of a failure, given the verdict on it: a 503 that is retried counts like a 502.
    public init(of failure: Failure, _ verdict: Verdict) {
      self.init(Self.kind(failure, verdict), retryAfter: failure.retryAfter, rejection: Gate.Rejection(failure))
    }

    /// Creates the symptom of a look that failed before a job was sent, given the verdict that the job would have got.
    public init(ofLook failure: Failure, _ verdict: Verdict) {
      self.init(of: failure, verdict)
      look = failure.message
    }

    private static func kind(_ failure: Failure, _ verdict: Verdict) -> Kind {
      switch failure.kind {
      case .unavailable: verdict == .abort ? .unavailable : .gateway
      case .credentials: .credentials
      case .network: .network
      case .throttled: .throttled
      case .transient: failure.isFromGateway ? .gateway : .transient
      case .destination: failure.status == nil || failure.code == Failure.clockCode ? .destination : .doubtful
      case .conflict: .answered
      case .rejected: failure.status == nil ? .local : .answered
      case .file, .fileChanged, .configuration: .local
      }
    }
  }
}

extension Failure {
  /// The code of a request that got no answer in time, or whose bytes stopped moving.
  public static let timeoutCode = "curl-28"
  /// The code of a host's name that could not be resolved (CURLE_COULDNT_RESOLVE_HOST).
  public static let unresolvedCode = "curl-6"

  /// libcurl's codes for a connection that was lost, and for an answer that is no HTTP (libcurl-errors(3)): CURLE_SEND_ERROR,
  /// CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_SEND_FAIL_REWIND; CURLE_WEIRD_SERVER_REPLY,
  /// CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING.
  private static let unansweredCodes: Set = [
    timeoutCode, "curl-55", "curl-56", "curl-52", "curl-18", "curl-65", "curl-8", "curl-1", "curl-61",
  ]

  /// True for answers of a broken service (500, 507) or of a proxy before it (502, 504; Cloudflare's 520 to 530), and if there is no
  /// answer. A single one may be the job's fault; the same for job after job is not.
  var isFromGateway: Bool {
    guard let status else { return code.map(Self.unansweredCodes.contains) ?? false }
    return switch status {
    case 500, 502, 504, 507, 520...530: true
    default: false
    }
  }
}

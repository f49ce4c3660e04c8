public import HTTPTransfer
public import Jobs

/// An HTTP answer that is not the success that was asked for.
public struct StatusError: Error, Hashable, Sendable {
  /// Whose answer it is; some statuses mean another thing at each.
  public enum FarSide: Hashable, Sendable {
    /// An object store. 404 and 409 are refusals here, unless its codes say otherwise, which it reads first.
    case storage
    /// A registration backend. 404 and 405 mean a wrong address, 409 a conflict.
    case backend

    var name: String {
      switch self {
      case .storage: "storage"
      case .backend: "backend"
      }
    }
  }

  /// Whose answer it is.
  public var farSide: FarSide
  /// The status as it came.
  public var status: Int
  /// The far side's own code, e.g. S3's `NoSuchBucket`.
  public var code: String?
  /// What the far side said, escaped and bounded.
  public var message: String?
  /// The `Location` of a redirect, escaped and bounded.
  public var location: String?
  /// How long the far side asked to wait.
  public var retryAfter: Duration?
  /// Whether the answer is a web page: then it is not the far side's, but of something that stands before it.
  public var isPage = false
  /// The beginning of the answer, escaped; nil where it was empty.
  public var answer: String?

  /// An answer whose code and message the caller has read, e.g. from S3's XML. The texts are bounded and escaped here.
  public init(
    farSide: FarSide, status: Int, code: String? = nil, message: String? = nil, location: String? = nil,
    retryAfter: Duration? = nil
  ) {
    self.farSide = farSide
    self.status = status
    self.code = code.map(BoundedText.of)
    self.message = message.map(BoundedText.of).flatMap { $0.isEmpty ? nil : $0 }
    self.location = location.map(Self.withoutQuery).map(BoundedText.of)
    self.retryAfter = retryAfter
  }

  /// An answer as it came, its message found by ``FarSideMessage``, its `Retry-After` counted from `now`.
  public init(_ response: HTTPResponse, from farSide: FarSide, now: Timestamp) {
    let headers = response.headers
    self.init(
      farSide: farSide, status: response.status,
      message: FarSideMessage.find(
        in: response.body, contentType: headers[first: "Content-Type"], status: response.status),
      location: headers[first: "Location"],
      retryAfter: headers[first: "Retry-After"].flatMap { RetryAfter.parse($0, now: now) })
    isPage = response.isHTML
    answer = FailedAnswer.text(response.body)
  }

  /// What a redirect adds to the address may be a signature, which is a secret.
  private static func withoutQuery(_ location: String) -> String {
    guard let mark = location.firstIndex(of: "?") else { return location }
    return location[..<mark] + "?…"
  }
}

extension FailureAdapter {
  /// Answers of far sides.
  public static let status = FailureAdapter(for: StatusError.self) { $0.failure }
}

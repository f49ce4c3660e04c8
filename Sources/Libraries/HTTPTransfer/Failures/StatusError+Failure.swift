public import Jobs
public import Messages

extension StatusError: FailureConvertible {
  /// The kind of failure that the status means; nil for one that cannot be the final status of an answer here: 1xx, 2xx, or above 599.
  var statusKind: Failure.Kind? {
    switch (status, server) {
    case (503, _): .unavailable
    case (401, _): .credentials
    case _ where refusesCertificate: .credentials
    case (429, _): .throttled
    case (408, _), (425, _): .transient
    // A gateway requires a login before it lets anything through (RFC 6585, section 6).
    case (511, _): .network
    // A proxy wants a login (RFC 9110, section 15.5.8), and gets none for any job. An account is to be paid for.
    case (402, .storage): .destination
    case (300..<400, _), (407, _), (421, _), (501, _), (505, _): .destination
    case (200..<300, _) where isPage: .destination
    case (403, _) where isPage: .destination
    case (404, .backend), (405, .backend): .destination
    case (409, .backend): .conflict
    case (400..<500, _): .rejected
    case (500..<600, _): .transient
    default: nil
    }
  }

  /// The failure of the attempt that got this answer.
  ///
  /// `mayHaveActed` is true for answers that can come after the request took effect: 5xx from a server or gateway in trouble, 2xx
  /// that is a web page, and answers that cannot be interpreted. It is false for 501, 503, 505 and 511, and for any 4xx.
  public var failure: Failure {
    let mayHaveActed =
      switch statusKind {
      case nil: true
      case .destination: status < 300
      case .transient: status >= 500
      default: false
      }
    return Failure(
      statusKind ?? .transient, reason, status: status, code: code, retryAfter: retryAfter, mayHaveActed: mayHaveActed,
      answer: answer)
  }

  /// The reason: the status with the server's own text, or else with the name of the status.
  public var reason: Message {
    let said = [code, message].compactMap(\.self).joined(separator: ": ")
    let side = server.rawValue
    switch status {
    case _ where refusesCertificate:
      return said.isEmpty
        ? .httpCertificate(status: status, side: side) : .httpCertificateSaid(status: status, said: said, side: side)
    case 300..<400:
      return location.map { .httpRedirect(answer: named, location: $0) } ?? .httpRedirectNowhere(answer: named)
    case 200..<300 where isPage, 403 where isPage:
      return said.isEmpty
        ? .httpPage(status: status, side: side) : .httpPageTitled(status: status, title: said, side: side)
    case _ where !said.isEmpty: return .httpStatusSaid(status: status, said: said)
    case _ where statusKind == nil: return .httpNotUnderstood(answer: named)
    default: return named
    }
  }

  /// The reason in English.
  public var words: String { reason.text }

  private var named: Message {
    ReasonPhrase.of(status).map { .httpStatusNamed(status: status, name: $0) } ?? .httpStatus(status: status)
  }
}

package import Credentials
package import HTTPTransfer
package import Jobs
package import Settings
import XML
import Messages

/// An answer of the storage that is not the expected success.
package struct S3Refusal: Error {
  /// The form of a successful answer.
  package enum Answer {
    /// An object or part of this size was stored: 200, no body, a strong ETag.
    case stored(bytes: Int64)
    /// An object is there: 200.
    case shown
    /// The first bytes of an object that is there.
    case slice
    /// The object is gone: 204, no body.
    case nothing
    /// An XML document.
    case document(S3Document)

    /// The maximum number of bytes of the body that are kept: a page of a thousand parts has some 400 KiB.
    var limit: Int {
      switch self {
      case .stored, .shown, .slice, .nothing: XMLElement.limit
      case .document: 1 << 20
      }
    }
  }

  /// The facts of the request that are needed to understand the answer.
  package struct Context {
    package var method: String
    /// True if `If-None-Match: *` was sent.
    package var isConditional: Bool
    package var answer: Answer
    /// The time at which the answer came, by the clock here.
    package var now: Timestamp
    /// The time that the request was signed with.
    package var signed: Timestamp
    /// The name of the storage in the configuration.
    package var storage: String
    /// The end of the words about a refused key.
    package var keyNote: String?
    /// True if a 503 aborts the job.
    package var abortsUnavailable = true
    /// The checksum that is configured.
    package var checksum = ChecksumAlgorithm.sha256
    /// The key that signed the request. Its secrets are not shown if the storage repeats them.
    package var key: SigningKey?
    /// The configured headers, whose secrets are not shown either.
    package var headers: [String: String] = [:]
    /// The customer's key that was sent for encryption, in base64, for the same reason.
    package var customerKey: String?

    /// The facts of a request that are needed to understand its answer.
    package init(
      method: String, isConditional: Bool, answer: Answer, now: Timestamp, storage: String,
      keyNote: String? = nil
    ) {
      self.method = method
      self.isConditional = isConditional
      self.answer = answer
      self.now = now
      signed = now
      self.storage = storage
      self.keyNote = keyNote
    }
  }

  let answer: StatusError
  let error: S3ErrorBody?
  let context: Context
  /// True if the error came in the body of an answer whose status was a 2xx.
  let wasHidden: Bool
  /// The reason why a 2xx without an error in it is no proof; nil for every other answer.
  let doubt: AnswerDoubt?
  /// True if the answer is a page of HTML, which no object store sends.
  let isPage: Bool
  /// The ETag of the answer, whatever its form.
  let etag: String?
  /// The cause of a refused signature.
  var cause = SignatureRefusals.Cause.key
  private let region: String?
  /// The storage's clock in its own words.
  private let saidTime: String?
  /// The storage's time in the answer.
  let serverTime: Timestamp?

  /// Nil for a success.
  ///
  /// A 2xx is no success if its body is an `<Error>`, or if it is not the expected answer: then it does not come from an
  /// object store but, for example, from a login page.
  package init?(_ response: HTTPResponse, _ context: Context) {
    let isSuccess = (200..<300).contains(response.status)
    let error = S3ErrorBody(response.body, ofAnyRoot: !isSuccess)
    let doubt = isSuccess && error == nil ? context.answer.doubt(in: response) : nil
    if isSuccess, error == nil, doubt == nil { return nil }
    let keys = (context.key?.secrets ?? []) + [context.customerKey].compactMap(\.self)
    let mask = SecretMask(keys + SecretMask.secrets(of: context.headers))
    var answer = StatusError(response, from: .storage, now: context.now, hiding: mask)
    if let error {
      answer = StatusError(
        server: .storage, status: isSuccess ? S3Code.status(of: error.code) : response.status, code: error.code,
        message: error.message, location: response.headers[first: "Location"] ?? error.endpoint,
        retryAfter: answer.retryAfter, hiding: mask)
      answer.answer = FailedAnswer.text(response, hiding: mask)
    }
    self.answer = answer
    self.error = error
    self.context = context
    wasHidden = isSuccess && error != nil
    self.doubt = doubt
    isPage = response.isHTML
    etag = response.headers[first: "ETag"]
    region = (error?.region ?? response.headers[first: "x-amz-bucket-region"]).map(mask.hiding)
    saidTime = error?.serverTime.map(mask.hiding)
    serverTime = StorageClock.time(of: response)
  }

  /// True if an object with the key exists, so that If-None-Match failed.
  var isPreconditionFailed: Bool { answer.status == 412 && context.isConditional }

  /// True if the requested object is not there. A web server's page proves nothing about that.
  var isAbsence: Bool { answer.status == 404 && !isPage }

  /// True if the upload in parts can no longer be completed.
  var endsUpload: Bool { answer.code.map(S3Code.endOfUpload.contains) ?? false }

  /// True if the answer is a success that cannot be understood: asking again would get the same, unless it was damaged on its way.
  var isNotUnderstood: Bool { doubt == .unreadable || doubt == .empty }

  /// True if only this request is refused, because a right or an operation is missing. False if the storage or the key has a
  /// problem.
  var isOfThisRequestAlone: Bool {
    guard doubt == nil else { return false }
    return switch failure.kind {
    case .destination: answer.code != S3Code.noSuchBucket && answer.code != S3Code.timeTooSkewed
    case .rejected: true
    case .unavailable, .credentials, .network, .throttled, .transient, .conflict, .file, .fileChanged, .configuration:
      false
    }
  }

  /// True if the storage computed another signature than was sent.
  var isOfSignature: Bool { answer.code == S3Code.signatureRefused && (answer.status == 403 || answer.status == 400) }

  /// True if the time of the signature may be the reason: the storage says so, or its own time is far away from it.
  var mayBeOfTheClock: Bool {
    guard doubt == nil, !isPage, answer.status == 400 || answer.status == 403 else { return false }
    return isApart || answer.code == S3Code.timeTooSkewed
  }

  /// True if the time of the signature is the reason, as far as can be told: whoever sets the clock mends it, and nobody else. Garage
  /// has no code of its own for it (`src/api/common/signature/payload.rs`).
  var isOfTheClock: Bool {
    guard mayBeOfTheClock else { return false }
    return answer.status == 403 || answer.code == S3Code.timeTooSkewed || answer.message == "Date is too old"
  }

  private var isApart: Bool { serverTime.map { ClockOffset.isApart($0 - context.signed) } ?? false }

  /// True if the bytes that arrived do not have the signed hash.
  var isHashRefused: Bool { answer.code.map(S3Code.hashRefusals.contains) ?? false }

  /// The meaning of the answer for the attempt, by the table of failures: the status decides, unless the code is named there.
  package var failure: Failure {
    if let doubt {
      let words = "HTTP \(answer.status) to \(context.method): \(S3Bucket.notAStorage) (\(doubt.words))"
      // Whatever sent this answer: there may be a storage behind it that has carried out the request.
      return Failure(
        doubt == .unreadable ? .transient : .destination, .text(words), status: answer.status, mayHaveActed: true)
    }
    var failure = answer.failure
    if let kind = kind(failure.kind) {
      failure.kind = kind
      failure.mayHaveActed = failure.mayHaveActed && kind == .transient
    }
    failure.message = message(failure.kind)
    return failure
  }

  private func kind(_ generic: Failure.Kind) -> Failure.Kind? {
    // It ends by itself once the clock is set, and until then is met by every job. Where the storage's own time is that of the signature,
    // nobody can tell what would end it but a person.
    if isOfTheClock, isApart { return .network }
    guard let code = answer.code else {
      if isPage, [403, 404, 405].contains(answer.status) { return .destination }
      // HEAD has no body that could name a code; with 403 it refuses the right to read.
      return answer.status == 403 && context.method == "HEAD" ? .destination : nil
    }
    if isOfSignature, let kind = cause.kind { return kind }
    switch generic {
    case .rejected: return S3Code.kind(code, status: answer.status, error: error)
    default: return nil
    }
  }

  private func message(_ kind: Failure.Kind) -> Message {
    var message = said
    if let region, isRedirect || error?.region != nil {
      message = .answerInRegion(answer: message, region: BoundedText.of(region))
    }
    if isPage, [403, 404, 405].contains(answer.status) {
      message = .answerBecause(answer: message, more: "\(S3Bucket.notAStorage) (it is a page of HTML)")
    } else if answer.status == 403, answer.code == nil, context.method == "HEAD" {
      message = .answerHeadRefused(answer: message)
    }
    if answer.status == 403, let there = otherClock {
      message = .answerClocksDiffer(answer: message, here: context.now.rfc3339, there: there)
    } else if answer.code == S3Code.accessDenied, context.customerKey != nil, context.method != "DELETE" {
      message = .answerAnd(answer: message, more: CustomerKey.mayBeBlocked)
    } else if answer.code == S3Code.accessDenied, answer.message == nil {
      // A Ceph gateway with temporary keys (rgw_s3_auth_use_sts) answers only AccessDenied in two cases: if a right is missing,
      // and if it does not know the key.
      message = .answerKeyOrRight(answer: message)
    }
    if let remedy { message = .answerAnd(answer: message, more: "\(remedy) in [storage.\(context.storage)]") }
    if isOfSignature, let words = cause.words(at: context.storage) {
      message = .answerAnd(answer: message, more: words)
    }
    if kind == .unavailable, context.abortsUnavailable, let code = answer.code, S3Code.throttling.contains(code) {
      message = .answerAnd(
        answer: message, more: "if the storage throttles by 503, set \(Self.patience) in [storage.\(context.storage)]")
    }
    if kind == .credentials, let note = context.keyNote { message = .answerWithNote(answer: message, note: note) }
    return message
  }

  private static let patience = "retry = { unavailable = \"retry\", retry_for = \"10min\" }"

  private var isRedirect: Bool { (300..<400).contains(answer.status) }

  /// The status, the code and the message, as far as the answer has them.
  private var said: Message {
    guard let code = answer.code, !isRedirect else { return answer.reason }
    switch (wasHidden, answer.message) {
    case (true, let said?): return .http200ErrorSaid(code: code, said: said)
    case (true, nil): return .http200Error(code: code)
    case (false, let said?): return .httpStatusCodeSaid(status: answer.status, code: code, said: said)
    case (false, nil): return .httpStatusCode(status: answer.status, code: code)
    }
  }

  /// The storage's clock, if it differs so much that signatures are refused, or if the storage says that it does.
  private var otherClock: String? {
    let there = saidTime.map { BoundedText.of($0) } ?? serverTime?.rfc3339
    guard let there else { return nil }
    guard isApart || answer.code == S3Code.timeTooSkewed else { return nil }
    return there
  }

  /// Reads an HTTP date in the same way as `Retry-After`: as the wait until it, here counted from the Unix epoch.
  static func time(_ date: String) -> Timestamp? {
    let epoch = Timestamp(microseconds: 0)
    guard date.contains(":") else { return nil }
    return RetryAfter.parse(date, now: epoch).map { epoch + $0 }
  }
}

extension FailureAdapter {
  /// Answers of the storage.
  static let s3 = FailureAdapter(for: S3Refusal.self) { $0.failure }
}

import Failures
package import HTTPTransfer
package import Jobs

/// An answer of the storage that is not the success that was asked for.
package struct S3Refusal: Error {
  /// What a success looks like.
  package enum Answer {
    /// An object or part of so many bytes was taken: 200, no body, a strong ETag.
    case stored(bytes: Int64)
    /// An object is there: 200.
    case shown
    /// The first bytes of an object that is there.
    case slice
    /// It is gone: 204, no body.
    case nothing
    /// An XML document with this root element.
    case document(String)

    /// How much of the body is kept, in bytes: a page of a thousand parts has some 400 KiB.
    var limit: Int {
      switch self {
      case .stored, .shown, .slice, .nothing: XMLElement.limit
      case .document: 1 << 20
      }
    }
  }

  /// What the request was, as far as it tells what the answer means.
  package struct Context {
    package var method: String
    /// Whether `If-None-Match: *` was sent.
    package var isConditional: Bool
    package var answer: Answer
    /// When the answer came, by the clock here.
    package var now: Timestamp
    /// The name of the storage in the configuration.
    package var storage: String
    /// What the words end with where the key was refused.
    package var keyNote: String?
    /// What the request carried that is secret, so that it is not shown where the storage says it back.
    package var secrets: [String] = []

    /// A request, as far as it tells what its answer means.
    package init(
      method: String, isConditional: Bool, answer: Answer, now: Timestamp, storage: String,
      keyNote: String? = nil
    ) {
      self.method = method
      self.isConditional = isConditional
      self.answer = answer
      self.now = now
      self.storage = storage
      self.keyNote = keyNote
    }
  }

  let answer: StatusError
  let error: S3ErrorBody?
  let context: Context
  /// Whether the error came in the body of an answer whose status was a 2xx.
  let wasHidden: Bool
  /// Why a 2xx without an error in it does not prove what was asked for; nil for every other answer.
  let doubt: AnswerDoubt?
  /// Whether a page of HTML came, which no object store answers.
  let isPage: Bool
  /// The ETag that came, whatever its form.
  let etag: String?
  private let region: String?
  private let serverTime: Timestamp?

  /// nil for a success.
  ///
  /// A 2xx is none if its body is an `<Error>`, or if it is not what was asked for: then it is not an object store's
  /// answer but, say, a login page's.
  package init?(_ response: HTTPResponse, _ context: Context) {
    let error = S3ErrorBody(response.body)
    let isSuccess = (200..<300).contains(response.status)
    let doubt = isSuccess && error == nil ? context.answer.doubt(in: response) : nil
    if isSuccess, error == nil, doubt == nil { return nil }
    var answer = StatusError(response, from: .storage, now: context.now)
    if let error {
      answer = StatusError(
        farSide: .storage, status: isSuccess ? S3Code.status(of: error.code) : response.status, code: error.code,
        message: error.message, location: response.headers[first: "Location"] ?? error.endpoint,
        retryAfter: answer.retryAfter)
      answer.answer = FailedAnswer.text(response.body)
    }
    answer.answer = answer.answer.map { FailedAnswer.hiding(context.secrets, in: $0) }
    answer.message = answer.message.map { FailedAnswer.hiding(context.secrets, in: $0) }
    self.answer = answer
    self.error = error
    self.context = context
    wasHidden = isSuccess && error != nil
    self.doubt = doubt
    isPage = response.isHTML
    etag = response.headers[first: "ETag"]
    region = error?.region ?? response.headers[first: "x-amz-bucket-region"]
    serverTime = response.headers[first: "Date"].flatMap(Self.time)
  }

  /// Whether an object with the key exists, so that If-None-Match was not met.
  var isPreconditionFailed: Bool { answer.status == 412 && context.isConditional }

  /// Whether what was asked for is not there. A web server's page says nothing of that.
  var isAbsence: Bool { answer.status == 404 && !isPage }

  /// Whether the upload in parts cannot be completed any more.
  var endsUpload: Bool { answer.code.map(S3Code.endOfUpload.contains) ?? false }

  /// Whether it says no to what was asked, by a right that is missing or an operation that is not there, and not that the
  /// storage or the key is in trouble.
  var isOfThisRequestAlone: Bool {
    guard doubt == nil else { return false }
    return switch failure.kind {
    case .destination: answer.code != S3Code.noSuchBucket && answer.code != S3Code.timeTooSkewed
    case .rejected: true
    case .unavailable, .credentials, .network, .throttled, .transient, .conflict, .file, .fileChanged, .configuration:
      false
    }
  }

  /// Whether the bytes that came were not those whose hash was signed.
  var isHashRefused: Bool { answer.code.map(S3Code.hashRefusals.contains) ?? false }

  /// What the answer means for the attempt, by the table of failures: the status decides, unless the code is named there.
  package var failure: Failure {
    if let doubt {
      let words = "HTTP \(answer.status) to \(context.method): \(S3Bucket.notAStorage) (\(doubt.words))"
      // Whatever answered: behind it there may be a storage that has done it.
      return Failure(doubt == .unreadable ? .transient : .destination, words, status: answer.status, mayHaveActed: true)
    }
    var failure = answer.failure
    if let kind = kind(failure.kind) {
      failure.kind = kind
      failure.mayHaveActed = failure.mayHaveActed && kind == .transient
    }
    failure.words = words(failure.kind)
    return failure
  }

  private func kind(_ generic: Failure.Kind) -> Failure.Kind? {
    guard let code = answer.code else {
      if isPage, [403, 404, 405].contains(answer.status) { return .destination }
      // HEAD has no body to name a code in; what it refuses with 403 is the right to read.
      return answer.status == 403 && context.method == "HEAD" ? .destination : nil
    }
    switch generic {
    case .rejected: return S3Code.kind(code, status: answer.status, error: error)
    default: return nil
    }
  }

  private func words(_ kind: Failure.Kind) -> String {
    var words = said
    if let region, isRedirect || error?.region != nil {
      words += "; the bucket is in the region \(BoundedText.of(region))"
    }
    if isPage, [403, 404, 405].contains(answer.status) {
      words += ": \(S3Bucket.notAStorage) (it is a page of HTML)"
    } else if answer.status == 403, answer.code == nil, context.method == "HEAD" {
      words += " to HEAD: to tell whose the object is, the key needs the right to read it (s3:GetObject)"
    }
    if answer.status == 403, let difference = clocks {
      words += "; \(difference)"
    } else if answer.code == S3Code.accessDenied, answer.message == nil {
      words += "; \(Self.mayBeOfTheKey)"
    }
    if answer.status == 501, context.isConditional {
      words += "; if the storage does not know If-None-Match, set overwrite = true in [storage.\(context.storage)]"
    }
    if kind == .credentials, let note = context.keyNote { words += " \(note)" }
    return words
  }

  /// A Ceph gateway with temporary keys (rgw_s3_auth_use_sts) says AccessDenied and no more both where a right is missing and
  /// where it does not know the key.
  private static let mayBeOfTheKey =
    "a right is missing, or, at a Ceph gateway with STS, the key or its session token is wrong or has expired"

  private var isRedirect: Bool { (300..<400).contains(answer.status) }

  /// The status, the code and the message, as far as they came.
  private var said: String {
    guard let code = answer.code, !isRedirect else { return answer.words }
    let status = wasHidden ? "HTTP 200 with the error" : "HTTP \(answer.status)"
    return answer.message.map { "\(status) \(code): \($0)" } ?? "\(status) \(code)"
  }

  /// Both clocks, where they are so far apart that signatures are refused for it, or the storage says that they are.
  private var clocks: String? {
    let there = error?.serverTime.map { BoundedText.of($0) } ?? serverTime?.rfc3339
    guard let there else { return nil }
    let isApart = serverTime.map { abs(($0 - context.now).inSeconds) > 300 } ?? false
    guard isApart || answer.code == S3Code.timeTooSkewed else { return nil }
    return "the clock here says \(context.now.rfc3339), the storage's \(there)"
  }

  /// An HTTP date is read as `Retry-After` has it: as the wait for it, here from the Unix epoch.
  private static func time(_ date: String) -> Timestamp? {
    let epoch = Timestamp(microseconds: 0)
    guard date.contains(":") else { return nil }
    return RetryAfter.parse(date, now: epoch).map { epoch + $0 }
  }
}

extension FailureAdapter {
  /// Answers of the storage.
  static let s3 = FailureAdapter(for: S3Refusal.self) { $0.failure }
}

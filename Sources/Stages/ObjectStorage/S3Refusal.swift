import Credentials
package import HTTPTransfer
package import Jobs
import Messages
package import Settings
import XML

/// An answer of the storage other than the expected success. ``failure`` is its meaning for the attempt as a whole.
package struct S3Refusal: FailureConvertible {
  package enum Answer {
    /// An object or part of this size was stored: 200, no body, a strong ETag.
    case stored(bytes: Int64)
    /// The object exists: 200.
    case shown
    /// The first bytes of an existing object: 200 or 206.
    case slice
    /// Something was removed: 204 or 200, no body.
    case nothing
    /// An XML document: 200.
    case document(S3Document)

    /// The maximum number of bytes of the body that are read. A page of a thousand parts has about 400 KiB.
    var limit: Int {
      switch self {
      case .stored, .shown, .slice, .nothing: XMLElement.limit
      case .document: 1 << 20
      }
    }
  }

  package struct Context {
    var exchange: S3Bucket.Exchange
    var settings: StorageSettings
    /// The time here when the answer arrived.
    var now: Timestamp
    /// An addition to the error text about a refused key.
    var keyNote: String?
    /// The keys of the request, which are masked in texts of the answer; nil if it was not built.
    var contents: S3Bucket.Contents?

    var method: String { exchange.method }
    var storage: String { settings.name }
  }

  let answer: StatusError
  let error: S3ErrorBody?
  let context: Context
  /// True if the error was in the body of an answer with a 2xx status.
  let wasHidden: Bool
  /// The reason why a 2xx without an error in its body proves nothing; nil for every other answer.
  let doubt: Message?
  /// True if the answer is an HTML page, which no object storage sends.
  let isPage: Bool
  /// True if the request was sent before, without an answer (``HTTPResponse/wasRepeated``).
  let wasRepeated: Bool
  /// The unchecked ETag of the answer.
  let etag: String?
  /// The kind of failure of a refused signature, if the key is not its cause.
  var signatureKind: Failure.Kind?
  private let region: String?
  /// The storage's time as its error document has it.
  private let saidTime: String?
  /// The storage's time from the answer's `Date` header.
  let serverTime: Timestamp?

  /// A 2xx is not a success if its body is an `<Error>`, or if it is not the expected answer but, for example, a login page.
  static func isSuccess(_ response: HTTPResponse, _ answer: Answer) -> Bool {
    (200..<300).contains(response.status) && S3ErrorBody(response.body, ofAnyRoot: false) == nil
      && answer.doubt(in: response) == nil
  }

  /// The meaning of an answer to a conditional PUT; nil for a success.
  package static func failure(
    of response: HTTPResponse, expecting answer: Answer, _ settings: StorageSettings, now: Timestamp
  ) -> Failure? {
    guard !isSuccess(response, answer) else { return nil }
    let put = S3Bucket.Exchange(
      method: "PUT", place: ObjectAddress(bucket: settings.bucket), isConditional: true, answer: answer)
    return S3Refusal(response, Context(exchange: put, settings: settings, now: now)).failure
  }

  init(_ response: HTTPResponse, _ context: Context) {
    let isSuccess = (200..<300).contains(response.status)
    let error = S3ErrorBody(response.body, ofAnyRoot: !isSuccess)
    let keys = (context.contents?.key.secrets ?? []) + [context.contents?.customerKey?.text].compactMap(\.self)
    let mask = SecretMask(keys + SecretMask.secrets(of: context.settings.plainHeaders))
    answer = StatusError(response, error, now: context.now, hiding: mask)
    self.error = error
    self.context = context
    wasHidden = isSuccess && error != nil
    doubt = isSuccess && error == nil ? context.exchange.answer.doubt(in: response) : nil
    isPage = response.isHTML
    wasRepeated = response.wasRepeated
    etag = response.headers[first: "ETag"]
    region = (error?.region ?? response.headers[first: "x-amz-bucket-region"]).map(mask.hiding)
    saidTime = error?.serverTime.map(mask.hiding)
    // A cache's answer has an old `Date`.
    let date = response.headers[first: "Age"] == nil ? response.headers[first: "Date"] : nil
    serverTime = date.flatMap(HTTPDate.parse)
  }

  var isPreconditionFailed: Bool { answer.status == 412 && context.exchange.isConditional }

  /// True if the requested object does not exist. A web server's 404 page does not prove that.
  var isAbsence: Bool { answer.status == 404 && !isPage }

  var endsUpload: Bool { answer.code.map(S3Code.endOfUpload.contains) ?? false }

  /// True if the answer is a 2xx whose document cannot be understood: it may have been damaged on its way.
  var isNotUnderstood: Bool { doubt == .doubtUnreadable || doubt == .doubtEmpty }

  /// True if only this request is refused, because a permission or an operation is missing.
  var isOfThisRequestAlone: Bool {
    guard doubt == nil, !isOfTheClock else { return false }
    let kind = failure.kind
    return kind == .rejected || kind == .destination && answer.code != S3Code.noSuchBucket
  }

  /// True if the storage computed another signature than the one that was sent.
  var isOfSignature: Bool { answer.code == S3Code.signatureRefused && (answer.status == 403 || answer.status == 400) }

  /// True if the storage refuses the time of the signature. Garage has no code for it (`src/api/common/signature/payload.rs`), and an
  /// answer to HEAD none at all: there the storage's own time shows it.
  var isOfTheClock: Bool {
    guard doubt == nil, !isPage, answer.status == 403 || answer.status == 400 else { return false }
    return answer.code == S3Code.timeTooSkewed || answer.message == "Date is too old"
      || answer.code == nil && isApart(by: 14 * 60)
  }

  var isHashRefused: Bool { answer.code.map(S3Code.hashRefusals.contains) ?? false }

  /// The failure for this answer. The HTTP status determines its kind, unless the error code does.
  package var failure: Failure {
    if let doubt {
      // This answer may come from a proxy, and a storage behind it may have carried out the request.
      return Failure(
        doubt == .doubtUnreadable ? .transient : .destination,
        .notAStorage(status: answer.status, method: context.method, doubt: doubt), status: answer.status,
        mayHaveActed: true)
    }
    var failure = answer.failure
    if isOfTheClock { failure.code = S3Code.timeTooSkewed }
    if let kind = kind(failure.kind) {
      failure.kind = kind
      failure.mayHaveActed = failure.mayHaveActed && kind == .transient
    }
    // The answer refuses only the last sending.
    if wasRepeated, context.method != "HEAD", context.method != "GET" { failure.mayHaveActed = true }
    failure.message = message(failure.kind)
    return failure
  }

  private func kind(_ generic: Failure.Kind) -> Failure.Kind? {
    if isOfTheClock { return .destination }
    guard let code = answer.code else {
      if isPage, [403, 404, 405].contains(answer.status) { return .destination }
      // An answer to HEAD has no body with a code. A 403 means here that the permission to read is missing.
      return answer.status == 403 && context.method == "HEAD" ? .destination : nil
    }
    if isOfSignature, let signatureKind { return signatureKind }
    return generic == .rejected ? S3Code.kind(code, status: answer.status, error: error) : nil
  }

  private func message(_ kind: Failure.Kind) -> Message {
    var message = said
    if let region, isRedirect || error?.region != nil {
      message = .answerInRegion(answer: message, region: BoundedText.of(region))
    }
    if isPage, [403, 404, 405].contains(answer.status) {
      message = .answerNotOfStorage(answer: message, doubt: .doubtPage)
    } else if answer.status == 403, answer.code == nil, context.method == "HEAD" {
      message = .answerHeadRefused(answer: message)
    }
    if answer.status == 403 || isOfTheClock, let there = otherClock {
      message = .answerClocksDiffer(answer: message, here: context.now.rfc3339, there: there)
    } else if answer.code == S3Code.accessDenied, context.contents?.customerKey != nil, context.method != "DELETE" {
      message = .answerAnd(answer: message, more: CustomerKey.mayBeBlocked)
    }
    if let remedy { message = .answerAnd(answer: message, more: remedy) }
    if isOfSignature, let signatureKind {
      let isOfRequest = signatureKind == .rejected
      message = .answerAnd(
        answer: message, more: isOfRequest ? .signatureOfRequest : .signatureOfStorage(storage: context.storage))
    }
    if kind == .unavailable, context.settings.retry.unavailable == .abort, let code = answer.code,
      S3Code.mayMeanThrottling.contains(code)
    {
      message = .answerAnd(
        answer: message, more: .storageThrottlesBy503(setting: Self.patience, storage: context.storage))
    }
    if kind == .credentials, let note = context.keyNote { message = .answerWithNote(answer: message, note: note) }
    return message
  }

  private static let patience =
    "retry = { unavailable = \"retry\", delays = [\"5s\", \"30s\", \"2min\", \"8min\"] }"

  private var isRedirect: Bool { (300..<400).contains(answer.status) }

  /// The HTTP status, the code and the error text, as far as the answer has them.
  private var said: Message {
    guard let code = answer.code, !isRedirect else { return answer.reason }
    switch (wasHidden, answer.message) {
    case (true, let said?): return .http200ErrorSaid(code: code, said: said)
    case (true, nil): return .http200Error(code: code)
    case (false, let said?): return .httpStatusCodeSaid(status: answer.status, code: code, said: said)
    case (false, nil): return .httpStatusCode(status: answer.status, code: code)
    }
  }

  /// The storage's time, if it is far from the time here, or if the storage refuses the signature for it.
  private var otherClock: String? {
    isApart(by: 5 * 60) || isOfTheClock ? saidTime.map { BoundedText.of($0) } ?? serverTime?.rfc3339 : nil
  }

  /// True if the storage's time is more than these seconds from the time here. AWS's SDKs take 5 minutes for the cause of a refusal
  /// (`isClockSkewed` in the SDK for JavaScript); storages refuse from 15 minutes on.
  private func isApart(by seconds: Int64) -> Bool {
    serverTime.map { !(-seconds...seconds).contains(($0 - context.now).components.seconds) } ?? false
  }
}

extension StatusError {
  /// The answer of a storage, with its error if it has one. Within a 2xx, the code determines the status.
  init(_ response: HTTPResponse, _ error: S3ErrorBody?, now: Timestamp, hiding mask: SecretMask) {
    self.init(response, from: .storage, now: now, hiding: mask)
    guard let error else { return }
    let isSuccess = (200..<300).contains(response.status)
    self.init(
      server: .storage, status: isSuccess ? S3Code.status(of: error.code) : response.status, code: error.code,
      message: error.message, location: response.headers[first: "Location"] ?? error.endpoint,
      retryAfter: retryAfter, hiding: mask)
    answer = FailedAnswer.text(response, hiding: mask)
  }
}

/// The feature that a storage does not support, as far as its answer shows it, and the setting that avoids it.
extension S3Refusal {
  /// True if the storage does not accept `If-None-Match`: the answer names this header, or says "not implemented" and names none, as
  /// Backblaze B2 does.
  var isConditionRefused: Bool {
    guard context.exchange.isConditional, answer.status == 501 || refusedHeader != nil else { return false }
    return refusedHeader.map { $0 == "if-none-match" } ?? true
  }

  /// The refused header in lower case, if the answer names one.
  private var refusedHeader: String? {
    guard answer.status == 501 || answer.status == 400 else { return nil }
    return error?.header?.lowercased()
  }

  /// The setting that avoids what the storage refuses; nil if none is known.
  var remedy: Message? {
    if let code = answer.code, S3Code.needsVirtualAddressing.contains(code) {
      return setting("addressing = \"virtual\"")
    }
    if answer.code == S3Code.noSuchBucket {
      return .storageWithoutBucket(bucket: BoundedText.of(context.exchange.place.bucket), storage: context.storage)
    }
    guard let header = refusedHeader else {
      return isConditionRefused ? .storageWithoutCondition(storage: context.storage) : nil
    }
    switch header {
    case "if-none-match": return setting("overwrite = true")
    case _ where header.hasPrefix("x-amz-checksum-") || header.hasPrefix("x-amz-sdk-checksum-"):
      return setting("checksum = \(context.settings.checksum == .sha256 ? "\"none\"" : "\"sha256\"")")
    case _ where header.hasPrefix("x-amz-server-side-encryption"): return leaveOut("encryption")
    case "x-amz-tagging": return leaveOut("tags")
    case _ where header.hasPrefix("x-amz-object-lock-"): return leaveOut("object_lock")
    default: return .storageLeaveHeaderOut(header: BoundedText.of(header), storage: context.storage)
    }
  }

  private func setting(_ text: String) -> Message { .storageSet(setting: text, storage: context.storage) }

  private func leaveOut(_ setting: String) -> Message { .storageLeaveOut(setting: setting, storage: context.storage) }
}

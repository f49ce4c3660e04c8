import HTTPTransfer
import Jobs
import Messages
import Settings

/// The owner of the object under a key, according to HEAD.
///
/// The next act of an attempt that is about to store its object:
///
/// | owner | may replace it | has to look first | has met a 412 |
/// | --- | --- | --- | --- |
/// | nobody | sends | sends | ends: the object has vanished |
/// | unknown | sends | sends, or ends where the storage takes no condition | ends with HEAD's failure |
/// | another | sends | ends: not ours | ends: not ours |
/// | ours | ``Occupancy`` decides | the same | the same |
enum Occupant {
  case nobody
  case ours(ShownObject)
  case another
  /// HEAD was refused, which proves nothing.
  case unknown

  /// The protection of another job's object from replacement by a request.
  enum Protection {
    /// No HEAD is needed: the request may replace the object, or its key or its condition is enough.
    case none
    /// A HEAD before the request.
    case lookFirst
    /// The condition of the request, which has failed (412).
    case failedCondition
  }

  /// Decides about the key: returns our own object; nil if there is none and the request may be sent.
  func own(_ protection: Protection) throws(Failure) -> ShownObject? {
    switch (self, protection) {
    case (.ours(let shown), _): return shown
    case (.another, .lookFirst), (.another, .failedCondition): throw Self.notOurs
    case (.nobody, .failedCondition), (.unknown, .failedCondition): throw Self.vanished
    case (.another, .none), (.nobody, .none), (.nobody, .lookFirst), (.unknown, .none), (.unknown, .lookFirst):
      return nil
    }
  }

  /// The object was stored by somebody else, so a person has to decide.
  static let notOurs = Failure(.rejected, .objectNotOurs, status: 412, code: "PreconditionFailed")

  /// The object that prevented the upload has disappeared in the meantime.
  static let vanished = Failure(.transient, .objectVanished, status: 412, code: "PreconditionFailed")
}

/// An object that shows our id, with the facts in an answer about its bytes.
struct ShownObject: Sendable {
  /// The relation of an object's bytes to those of the file, by an answer.
  enum Bytes: Hashable, CaseIterable {
    case same
    case other
    /// The size is right, and no checksum can be compared.
    case unknown
  }

  let response: HTTPResponse
  var size: Int64?
  /// The checksum of the configured algorithm, if it is shown.
  let checksum: String?
  /// The SHA-256 in its metadata, in hex (``MetadataHeaders/sha256``).
  let sha256: String?
  /// True if the object is encrypted as configured, or no encryption is.
  var isEncrypted = true

  init(_ response: HTTPResponse, _ algorithm: ChecksumAlgorithm) {
    self.response = response
    size = response.headers[first: "Content-Length"].flatMap { Int64($0) }
    checksum = response.headers[first: algorithm.header]
    sha256 = response.headers[first: MetadataHeaders.sha256]
  }

  /// Compares the object's bytes with those of the file.
  func bytes(_ sums: ObjectSums, of object: ObjectToStore) -> Bytes {
    guard size == object.expected.size, sums.fit(checksum) else { return .other }
    if let sent = self.sha256, let sha256 = sums.sha256 ?? object.sha256 { return sent == sha256 ? .same : .other }
    return sums.isProven(by: checksum) ? .same : .unknown
  }

  /// True if the object has this ETag, in the form of an answer.
  func has(etag: String?) -> Bool {
    let answered = etag.flatMap { S3Bucket.unquoted($0.utf8) }
    return answered != nil && answered == StoredObject(response).etag
  }

  /// True if ``bytes(_:of:)`` has something to compare besides the size.
  var hasSums: Bool { checksum != nil || sha256 != nil }
}

/// The one decision on an object that shows our id: if it counts as the upload of a file.
enum Occupancy: Hashable {
  /// The object counts: a checksum proves that it has the file's bytes, or this ledger has recorded an attempt on exactly the present file.
  case counts
  /// The object is overwritten: it has other bytes or may have them.
  case isReplaced
  /// A job that the ledger has forgotten may have stored and registered the object. It is overwritten once ``ObjectToStore/mayBeStale`` is
  /// durable.
  case isOfForgottenJob

  /// - Parameter isUntouched: true if the file still has exactly the expected facts, ctime included.
  init(_ bytes: ShownObject.Bytes, _ object: ObjectToStore, isUntouched: Bool) {
    let isRecorded =
      (object.mayBeStored || object.multipart != nil) && !object.mayBeStale && !object.mayBeForgotten
    switch bytes {
    case .same: self = .counts
    case .unknown where isRecorded && isUntouched: self = .counts
    case .unknown, .other: self = object.mayBeForgotten && !object.mayBeStale ? .isOfForgottenJob : .isReplaced
    }
  }
}

import Failpoints
import Failures
import HTTPTransfer
import Jobs

/// Whose the object is that stands under a key.
enum Occupant {
  /// There is none.
  case nobody
  /// It shows our id, and by its size it may hold the bytes that it should; what HEAD said of it.
  case ours(HTTPResponse)
  /// It shows our id, and holds or may hold other bytes.
  case oursOfOtherBytes
  /// It does not show our id.
  case another

  /// Whether it is ours and may hold the bytes that it should.
  var isOurs: Bool { if case .ours = self { true } else { false } }
}

extension S3Bucket {
  /// Asks HEAD whose the object is under this key.
  ///
  /// Throws ``S3Refusal`` where HEAD is refused, besides what transferring throws.
  func occupant(of object: ObjectToStore) async throws -> Occupant {
    // Only where the checksum can be compared: for encrypted objects it takes one right more.
    let shows = options.checksum == .crc32c || options.checksum == .crc64nvme
    let headers = shows ? [HTTPHeader("x-amz-checksum-mode", "ENABLED")] : []
    let response: HTTPResponse
    do {
      Failpoint.headSending.pass()
      response = try await send(Exchange(method: "HEAD", object: object, headers: headers))
      Failpoint.headAnswered.pass()
    } catch let refusal as S3Refusal where refusal.isAbsence {
      Failpoint.headAnswered.pass()
      return .nobody
    }
    guard Self.shows(object.id, response) else { return .another }
    let size = response.headers[first: "Content-Length"].flatMap { Int64($0) }
    return size == object.expected.size && !object.mayBeStale ? .ours(response) : .oursOfOtherBytes
  }

  /// Whether an answer shows a job's id, and no other. A web server's answer shows none.
  static func shows(_ id: JobID, _ response: HTTPResponse) -> Bool {
    let shown = response.headers.all.filter { $0.isNamed(MetadataHeaders.id) }
    return !shown.isEmpty && shown.allSatisfy { $0.value == id.description }
  }

  /// What stands there has come from elsewhere, and a person has to say what is to become of it.
  static let notOurs = Failure(
    .rejected, "HTTP 412: an object with this key exists and is not ours", status: 412, code: "PreconditionFailed")

  /// What was in the way has gone meanwhile.
  static let vanished = Failure(
    .transient, "HTTP 412: an object with this key exists; but HEAD finds none", status: 412,
    code: "PreconditionFailed")

  /// The storage shows another checksum than that of what was sent: the bytes were changed on the way or there.
  func corruption(_ what: String) -> Failure {
    Failure(
      .transient, "the storage has other bytes of \(what) than were sent: its \(options.checksum.rawValue) differs",
      code: "ChecksumMismatch", mayHaveActed: true)
  }
}

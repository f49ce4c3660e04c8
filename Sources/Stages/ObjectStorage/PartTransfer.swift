import HTTPTransfer
import Jobs
import Linux
import Messages
import Seams
import Settings

/// Sends the parts of one file, a few at a time.
struct PartTransfer {
  struct Sent: Sendable {
    var number: Int
    var etag: String
    var sums: Sums
    /// True if the storage has shown the part's checksum. A storage that does not know checksums may refuse a Complete that names
    /// them, as OpenStack Swift does.
    var showsChecksum: Bool
  }

  private static let mostTries = 3

  let bucket: S3Bucket
  let object: ObjectToStore
  let source: SourceFile
  let upload: MultipartUpload
  let listed: [Int: ListedPart]
  var isNew = false

  private var plan: PartPlan { PartPlan(size: object.expected.size, partSize: upload.partSize) }

  /// Sends the parts that the storage does not have. The first part that fails for good ends the transfer and cancels the others.
  func run() async throws -> [Sent] {
    var sent: [Sent] = []
    do {
      try await send(&sent)
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
      throw refusal
    } catch {
      // Only a part that was not listed is progress, and none is if the storage does not list parts or loses uploads.
      guard isNew || !listed.isEmpty, sent.contains(where: { listed[$0.number] == nil }),
        case .failed(var failure) = S3Bucket.failure(of: error), [.transient, .unavailable].contains(failure.kind)
      else { throw error }
      failure.hasProgressed = true
      throw UploadFailure.failed(failure)
    }
    return sent.sorted { $0.number < $1.number }
  }

  private func send(_ sent: inout [Sent]) async throws {
    try await withThrowingTaskGroup(of: Sent.self) { tasks in
      var next = 1
      while sent.count < plan.count {
        while next <= plan.count, next - 1 - sent.count < bucket.settings.partConcurrency {
          let part = plan.part(next)
          tasks.addTask { try await send(part) }
          next += 1
        }
        guard let part = try await tasks.next() else { break }
        sent.append(part)
      }
    }
  }

  func send(_ part: PartPlan.Part) async throws -> Sent {
    let sums = try await bucket.sums(of: part, object, source)
    if let known = listed[part.number], known.size == part.count, isSame(known, sums) {
      object.sent?.add(part.count)
      return Sent(number: part.number, etag: known.etag, sums: sums, showsChecksum: known.checksum != nil)
    }
    var tries = 1
    while true {
      do {
        return try await sendOnce(part, sums)
      } catch  where tries < Self.mostTries && Self.mayPass(error) {
        tries += 1
      }
    }
  }

  private static func mayPass(_ error: any Error) -> Bool {
    guard case .failed(let failure) = S3Bucket.failure(of: error) else { return false }
    return failure.kind == .transient && failure.retryAfter == nil && failure.code != S3Code.noSuchUpload
  }

  private func sendOnce(_ part: PartPlan.Part, _ sums: Sums) async throws -> Sent {
    let response: HTTPResponse
    do {
      response = try await put(part, sums)
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      return try await settled(part, sums, refusal)
    }
    // An answer without an ETag proves nothing, and has been refused before this point.
    let etag = response.headers[first: "ETag"] ?? ""
    let shown = response.headers[first: bucket.settings.checksum.header]
    if let shown, shown != sums.base64 {
      await bucket.letGo(of: upload.id, object)
      throw UploadFailure.corrupted(bucket.corruption(.thePart(part: part.number)))
    }
    return Sent(number: part.number, etag: etag, sums: sums, showsChecksum: shown != nil)
  }

  /// True if a listed part has these bytes: by its checksum, or else because the file is the one that the part was sent from.
  private func isSame(_ known: ListedPart, _ sums: Sums) -> Bool {
    known.checksum.map { $0 == sums.base64 } ?? (upload.file == source.opened)
  }

  /// Returns a part after an answer that proved nothing, if the storage lists it with its size and no other checksum.
  private func settled(_ part: PartPlan.Part, _ sums: Sums, _ refusal: S3Refusal) async throws -> Sent {
    let found = try await bucket.listedPart(part.number, of: upload.id, object)
    guard let found, found.size == part.count, found.checksum == nil || found.checksum == sums.base64 else {
      let failure = refusal.failure
      throw failure.with(.partNotListed(answer: failure.message, part: part.number))
    }
    return Sent(number: part.number, etag: found.etag, sums: sums, showsChecksum: found.checksum != nil)
  }

  /// Sends the bytes of a part. If that fails because the file has changed, the change is thrown instead of the failure.
  private func put(_ part: PartPlan.Part, _ sums: Sums) async throws -> HTTPResponse {
    let exchange = S3Bucket.Exchange(
      method: "PUT", place: object.address, query: [("partNumber", String(part.number)), ("uploadId", upload.id)],
      headers: bucket.checksumHeaders(sums), body: .file(source.file, offset: part.offset, length: part.count),
      payloadHash: sums.payloadHash, answer: .stored(bytes: part.count), hasLongBody: true, sent: object.sent)
    do {
      Failpoint.partSending.pass()
      let answer = try await bucket.send(exchange)
      Failpoint.partAnswered.pass()
      return answer
    } catch let refusal as S3Refusal where refusal.isHashRefused {
      try await bucket.workers.run { [source] in try source.confirmUntouched() }
      throw refusal
    } catch let error as TransferError where error.kind == .readFailed {
      try await bucket.workers.run { [source] in _ = try source.isUntouched() }
      throw error
    }
  }
}

/// The division of a file into parts ("Amazon S3 multipart upload limits" in the S3 user guide).
struct PartPlan: Hashable, Sendable {
  struct Part: Hashable, Sendable {
    var number: Int
    var offset: Int64
    var count: Int64
  }

  /// AWS's maximum number of parts of an object; some services allow fewer.
  static let most = 10_000
  static let numbers = 1...most
  private static let mebibyte: Int64 = 1 << 20

  let size: Int64
  let partSize: Int64

  /// Creates parts of this size. If there would be too many of them, the size is the next whole number of MiB that is large
  /// enough.
  init(size: Int64, wanted: Int64, most: Int = PartPlan.most) {
    self.size = size
    let least = size.dividedUp(by: Int64(most))
    partSize = least <= wanted ? wanted : least.dividedUp(by: Self.mebibyte) *| Self.mebibyte
  }

  /// Creates parts of exactly this size, with which an upload was begun.
  init(size: Int64, partSize: Int64) {
    self.size = size
    self.partSize = max(1, partSize)
  }

  /// The number of parts; an empty file has one empty part.
  var count: Int { max(1, Int(size.dividedUp(by: partSize))) }

  func part(_ number: Int) -> Part {
    let offset = Int64(number - 1) * partSize
    return Part(number: number, offset: offset, count: min(partSize, size - offset))
  }
}

extension Int64 {
  fileprivate func dividedUp(by divisor: Int64) -> Int64 { self / divisor + (self % divisor > 0 ? 1 : 0) }
}

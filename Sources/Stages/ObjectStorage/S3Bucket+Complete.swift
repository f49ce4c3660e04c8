import HTTPTransfer
import Jobs
import Linux
import Messages
import OpenSSL
import Settings
import XML

/// The end of an upload in parts (CompleteMultipartUpload).
extension S3Bucket {
  /// Completes an object from exactly the parts that were sent.
  func complete(
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], conditional: Bool
  ) async throws -> StoredObject {
    try await inTurn(transfer.object) { try await completeInTurn(transfer, parts, conditional: conditional) }
  }

  private func completeInTurn(
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], conditional: Bool
  ) async throws -> StoredObject {
    let object = transfer.object
    var isConditional = conditional
    if isConditional {
      // Some storages ignore the condition of a Complete although they check that of a PUT, as Ceph before 18 does.
      switch try await known(object) {
      case .another: throw Self.notOurs
      case .ours: isConditional = false
      case .nobody, nil: break
      }
    }
    do {
      return try await send(object, conditional: isConditional) {
        try await sendComplete(transfer, parts, conditional: $0)
      }
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      switch try await occupant(of: object) {
      case .nobody: throw Self.vanished
      case .another: throw Self.notOurs
      case .ours: return try await sendComplete(transfer, parts, conditional: false)
      }
    }
  }

  private func sendComplete(
    _ transfer: PartTransfer, _ parts: [PartTransfer.Sent], conditional: Bool
  ) async throws -> StoredObject {
    let object = transfer.object
    let sums = ObjectSums(algorithm: settings.checksum, parts: parts.map(\.sums))
    let body = Array(Self.document(parts).utf8)
    var headers = [HTTPHeader("Content-Type", "application/xml")]
    if conditional { headers.append(HTTPHeader("If-None-Match", "*")) }
    if let checksum = sums.checksum, checksum.type == .full, transfer.upload.takesWholeChecksum {
      headers.append(HTTPHeader(settings.checksum.header, checksum.value))
      headers.append(HTTPHeader("x-amz-checksum-type", settings.checksum.typeInParts))
    }
    let response: HTTPResponse
    do {
      Failpoint.completeSending.pass()
      response = try await send(
        Exchange(
          method: "POST", object: object, query: [("uploadId", transfer.upload.id)], headers: headers,
          body: .bytes(body), payloadHash: Hex.text(SHA256.hash(data: body)), isConditional: conditional,
          answer: .document(.completed), silence: settings.completeTimeout))
      Failpoint.completeAnswered.pass()
    } catch let refusal as S3Refusal where refusal.answer.code == S3Code.noSuchUpload {
      // An earlier Complete may have succeeded although its answer was lost.
      guard case .ours(let shown)? = try await known(object), isResult(shown, of: transfer, sums) else { throw refusal }
      return StoredObject(shown.response)
    } catch let refusal as S3Refusal where refusal.doubt != nil {
      Failpoint.completeAnswered.pass()
      return try await shown(object, sums, refusal.failure)
    } catch let refusal as S3Refusal where refusal.endsUpload {
      await letGo(of: transfer.upload.id, object)
      throw refusal
    }
    return try await stored(object, sums, response)
  }

  /// Returns the stored object. If the answer does not describe it, as with Ceph, HEAD must show it.
  private func stored(_ object: ObjectToStore, _ sums: ObjectSums, _ response: HTTPResponse) async throws
    -> StoredObject
  {
    let result = XMLElement.parse(response.body)
    guard sums.fit(result?[settings.checksum.element]?.text) else {
      throw UploadFailure.corrupted(corruption(.theObject))
    }
    try await confirmEncryption(response, of: object)
    let etag = result?["ETag"]?.text
    let stored = StoredObject(etag: etag, version: Self.version(response.headers))
    guard stored.etag != nil, etag?.hasPrefix("W/") == false else {
      return try await shown(
        object, sums,
        Failure(
          .destination, .notAStorage(status: 200, method: "POST", doubt: AnswerDoubt.noETag.message), status: 200,
          mayHaveActed: true))
    }
    try await prove(object, sums, sha256: object.sha256, answerTo: "CompleteMultipartUpload", etag: etag)
    return stored
  }

  /// True if an object is what an earlier Complete of the upload has made, whose parts were sent from the file as it is now.
  private func isResult(_ shown: ShownObject, of transfer: PartTransfer, _ sums: ObjectSums) -> Bool {
    var object = transfer.object
    object.multipart = transfer.upload
    return occupancy(shown, sums, sha256: nil, transfer.source, object) == .counts
  }

  /// Returns the object that HEAD shows after a Complete whose answer proved nothing.
  private func shown(_ object: ObjectToStore, _ sums: ObjectSums, _ failure: Failure) async throws -> StoredObject {
    let response = try await settled(object, sums, sha256: nil, failure, etag: nil)
    try await confirmEncryption(response, of: object)
    trust.prove()
    return StoredObject(response)
  }

  private static func document(_ parts: [PartTransfer.Sent]) -> String {
    var text = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
    for part in parts {
      text += "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(XMLElement.escaped(part.etag))</ETag>"
      if part.showsChecksum, let checksum = part.sums.base64 {
        text += "<\(part.sums.algorithm.element)>\(checksum)</\(part.sums.algorithm.element)>"
      }
      text += "</Part>"
    }
    return text + "</CompleteMultipartUpload>"
  }
}

import HTTPTransfer
import Jobs
import Linux
import Settings
import Synchronization

/// The straight way of a small file: read it, send it once, and return the receipt if the answer is a plain success.
///
/// Nearly all uploads of a busy daemon are like this, and the general way costs them more than the request itself: each question that
/// it may have to ask is one more function that can wait. Here nothing is decided. Any other answer, and any error, goes to the general
/// way as it is, which goes on as if it had sent that request itself. So nothing is sent twice, and no answer has two meanings.
extension S3Bucket {
  /// A PUT that was sent, with what came of it.
  struct SentPut {
    let payload: Payload
    let exchange: Exchange
    let answer: Answer
  }

  /// True if the general way would send the object by one PUT with a header, without a question before it.
  func isStraight(_ object: ObjectToStore) -> Bool {
    Payload.isInPlace(object) && !goesInParts(object) && object.multipart == nil
      && !object.mayBeStored && !object.isProbe && trust.isProven && (settings.overwrite || object.hasOwnKey)
  }

  /// One attempt for such an object.
  func uploadStraight(_ object: ObjectToStore) async throws -> UploadReceipt {
    let source = try SourceFile(opening: object)
    let payload: Payload
    if let ready = try Payload.inMemory(source, settings.checksum, settings.digest) {
      payload = ready
    } else {
      payload = try await .whole(source, settings.checksum, settings.digest, on: workers)
    }
    let put = try put(of: object, payload, conditional: !settings.overwrite && trust.takesCondition)
    Failpoint.putSending.pass()
    let answer = await answer(to: put)
    if case .success(let response) = answer.result, isPlain(response, answer, put, payload) {
      clock.accepted(response)
      Failpoint.putAnswered.pass()
      trust.signatures.withLock { $0.stored() }
      return receipt(object, payload, response)
    }
    return try await judgingSignatures(of: object) {
      try await storeInOnePiece(object, SentPut(payload: payload, exchange: put, answer: answer))
    }
  }

  /// True if an answer is a success that needs no further look, at an unchanged file.
  private func isPlain(_ response: HTTPResponse, _ answer: Answer, _ put: Exchange, _ payload: Payload) -> Bool {
    // An error while looking at the file is one that the general way meets again, and reports. The storage may have had a problem while
    // the request was under way: then its answer alone is no proof any more.
    S3Refusal.isSuccess(response, put.answer) && fits(response, payload) && trust.isProven
      && (!asksForEncryption || answer.contents.flatMap(encryption(of:))?.finding(in: response) == .fits)
      && (try? payload.source.isUntouched()) == true
  }
}

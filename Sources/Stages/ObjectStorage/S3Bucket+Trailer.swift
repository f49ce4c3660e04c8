import HTTPTransfer
import Jobs
import Linux
import Settings

/// A single PUT with its checksum in a trailer: the file is read only once.
extension S3Bucket {
  /// True if an object is sent in this form. It is not used for small files, which are in memory anyway; after a lost answer,
  /// when the sums are needed first to compare the existing object; and with `digest`, because then the file is read for its
  /// SHA-256 anyway.
  func sendsTrailer(_ object: ObjectToStore) -> Bool {
    trailers.isOn && !settings.digest && !object.mayBeStored && !Payload.isInMemory(object)
  }

  /// One attempt. If the storage does not accept the trailer, it sends the checksum in a header instead.
  func attemptWithTrailer(_ object: ObjectToStore) async throws -> UploadReceipt {
    let source = try await workers.run { try SourceFile(opening: object) }
    try await source.load(count: object.expected.size, on: workers)
    // An upload in parts that was begun with an earlier configuration.
    if let old = object.multipart { try await abort(old.id, of: object) }
    if mustLookFirst(object) {
      switch try await known(object) {
      // The existing object must first be compared with the sums.
      case .ours: return try await attemptWithHeader(object)
      case .another: throw Self.notOurs
      case .nobody, nil: break
      }
    }
    let frame = SummedFrame(count: object.expected.size, RunningSums(settings.checksum))
    let body = try source.body(in: frame)
    let again: (reason: String?, mayBeStored: Bool)
    do {
      switch try await put(object, body, frame) {
      case .stored(let response, let sums):
        let payload = Payload(source: source, body: body, sums: sums)
        try await payload.confirmUnchanged(object, on: workers)
        try await confirmEncryption(response, of: object)
        try await prove(object, payload.object, sha256: nil, answerTo: "PUT")
        return receipt(object, sums, response)
      case .toBeSentAgain(let why, let isLeft): again = (why, isLeft)
      }
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      return try await settle(object, try await Payload.read(object, settings.checksum, on: workers))
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      return try await attemptWithHeader(object)
    } catch let refusal as S3Refusal where refusal.isHashRefused {
      try await workers.run { try source.confirmUntouched() }
      throw refusal
    } catch let error as TransferError where error.kind == .readFailed {
      try await workers.run { _ = try source.isUntouched() }
      throw error
    }
    let receipt = try await attemptAgain(object, mayBeStored: again.mayBeStored)
    if let reason = again.reason { trailers.giveUp(reason, storage: settings.name) }
    return receipt
  }

  /// Sends the object with the checksum in a header after an answer that proved nothing. If the first request may have stored
  /// something, that does not count, even if HEAD shows the right size; and if this attempt fails too, it must be cleaned up.
  private func attemptAgain(_ object: ObjectToStore, mayBeStored: Bool) async throws -> UploadReceipt {
    var object = object
    object.multipart = nil
    object.mayBeStale = object.mayBeStale || mayBeStored
    do {
      return try await attemptWithHeader(object)
    } catch let refusal as S3Refusal where mayBeStored {
      var failure = refusal.failure
      failure.mayHaveActed = true
      throw failure
    } catch var failure as Failure where mayBeStored {
      failure.mayHaveActed = true
      throw failure
    } catch let error as TransferError where mayBeStored && error.kind != .cancelled {
      var failure = Self.adapters.failure(for: error)
      failure.mayHaveActed = true
      throw failure
    }
  }

  private func put(
    _ object: ObjectToStore, _ body: HTTPRequest.Body, _ frame: SummedFrame
  ) async throws -> Trailed {
    let isConditional = !settings.overwrite && trust.takesCondition
    let exchange = Exchange(
      method: "PUT", object: object, headers: try headers(of: object, conditional: isConditional) + frame.headers,
      body: body, payloadHash: ChunkedFrame.payloadHash, isConditional: isConditional,
      isLarge: object.expected.size >= Job.leastLarge, sent: object.sent)
    Failpoint.putSending.pass()
    let outcome = try await send(exchange, framed: frame)
    Failpoint.putAnswered.pass()
    return outcome
  }
}

import HTTPTransfer
import Jobs
import Linux

/// A single PUT with its checksum behind the bytes: the file is read once.
extension S3Bucket {
  /// True if an object is sent like this. Small ones are in memory anyway. After a lost answer the sums are needed first, to
  /// compare what is there. If SHA-256 of the whole file is wanted, the file is read for that, and its checksum costs no more.
  func sendsTrailer(_ object: ObjectToStore) -> Bool {
    trailers.isOn && !options.digest && !object.mayBeStored && object.expected.size > Payload.inMemoryLimit
  }

  /// One attempt; goes over to the header's way if the storage does not take the trailer.
  func attemptWithTrailer(_ object: ObjectToStore) async throws -> UploadReceipt {
    let source = try await threads(of: object).run { try SourceFile(opening: object) }
    try await source.load(count: object.expected.size, on: threads(of: object))
    // The upload in parts that was begun before the configuration was changed.
    if let old = object.multipart { try await abort(old.id, of: object) }
    if mustLookFirst(object) {
      switch try await known(object) {
      // The object that is there has to be compared with the sums first.
      case .ours, .oursOfOtherBytes: return try await attemptWithHeader(object)
      case .another: throw Self.notOurs
      case .nobody, nil: break
      }
    }
    let frame = SummedFrame(count: object.expected.size, RunningSums(options.checksum))
    let body = try source.body(in: frame)
    let again: (reason: String?, mayBeStored: Bool)
    do {
      switch try await put(object, body, frame) {
      case .stored(let response, let sums):
        try await Payload(source: source, body: body, sums: sums).confirmUnchanged(object, on: threads(of: object))
        try await prove(object, answerTo: "PUT")
        return receipt(object, sums, response)
      case .toBeSentAgain(let why, let isLeft): again = (why, isLeft)
      }
    } catch let refusal as S3Refusal where refusal.isPreconditionFailed {
      return try await settle(object, try await Payload.read(object, options.checksum, on: threads(of: object)))
    } catch let refusal as S3Refusal where refusal.isConditionRefused {
      return try await attemptWithHeader(object)
    } catch let refusal as S3Refusal where refusal.isHashRefused {
      try await threads(of: object).run { try source.confirmUntouched() }
      throw refusal
    } catch let error as TransferError where error.kind == .readFailed {
      try await threads(of: object).run { _ = try source.isUntouched() }
      throw error
    }
    let receipt = try await attemptAgain(object, mayBeStored: again.mayBeStored)
    if let reason = again.reason { trailers.giveUp(reason, storage: options.name) }
    return receipt
  }

  /// Sends the object in the header's way after an answer that proved nothing. What that request may have stored does not count,
  /// whatever HEAD says of its size, and it is to be cleaned up if this fails too.
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
    let isConditional = !options.overwrite && trust.takesCondition
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

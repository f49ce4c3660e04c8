import Linux

/// Requests of tasks that run on the transfer thread.
///
/// Such a task may use the actor's state, but the runtime does not know that: a call of an actor's method goes through the thread's queue
/// twice, there and back. So these functions use the state directly, between two steps of libcurl, as all jobs of the thread do. A small
/// request is then queued once, when its answer is there. `assumeIsolated` would do too, but allocates memory five times a request.
extension Transport {
  /// Does what ``send(_:built:)`` does, on the thread: for a task that runs there, or for the actor.
  nonisolated func sendInPlace(
    _ traits: RequestTraits, built build: @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    let place = try await place(for: traits)
    let request: HTTPRequest
    do {
      request = try await build()
    } catch {
      // Even if building has waited for keys, a task of this thread is back on the thread.
      release(place)
      throw error
    }
    return try await send(request, in: place)
  }

  /// Sends a request in its place.
  func send(
    _ request: HTTPRequest, in place: RequestQueue.ID, isolation: isolated (any Actor)? = #isolation
  ) async throws(TransferError) -> HTTPResponse {
    try check(request, in: place)
    let result: Result<HTTPResponse, TransferError> = await cuttable(place) { waiter in
      begin(Transfer(id: place, request: request, sink: .collect(waiter)))
    }
    return try result.get()
  }

  /// Starts something with a waiter and waits for its result. Cancelling the task cuts the request, which resumes the waiter.
  func cuttable<Value: Sendable>(
    _ id: RequestQueue.ID, isolation: isolated (any Actor)? = #isolation, _ start: (Waiter<Value>) -> Void
  ) async -> Value {
    await withTaskCancellationHandler {
      // A closure that does not capture the isolation would run on the global pool.
      _ = isolation
      return await Waiter.wait { start($0) }
    } onCancel: {
      cut(id)
    }
  }

  /// Cuts a request from any thread. The cut comes after the thread's current job, hence after the start of a request whose task was
  /// cancelled before. An unknown request has ended.
  nonisolated func cut(_ id: RequestQueue.ID) { run { self.lineHere()?.cut(id) } }

  /// Checks a request, and releases the place if the request cannot be sent or the task is cancelled.
  nonisolated func check(_ request: HTTPRequest, in place: RequestQueue.ID) throws(TransferError) {
    do throws(TransferError) {
      try request.check()
      guard !Task.isCancelled else { throw .cancelled(requestMayHaveArrived: false) }
    } catch {
      release(place)
      throw error
    }
  }

  /// Waits for a place among the requests in flight. The caller begins a transfer in the place, or releases it.
  func place(
    for traits: RequestTraits, isolation: isolated (any Actor)? = #isolation
  ) async throws(TransferError) -> RequestQueue.ID {
    guard !Task.isCancelled else { throw .cancelled(requestMayHaveArrived: false) }
    guard let line = lineHere() else { throw .shutDown }
    let id = line.newID()
    if line.queue.enter(id, traits) { return id }
    let refusal: TransferError? = await cuttable(id) { line.wait(id, traits, $0) }
    if let refusal { throw refusal }
    return id
  }

  nonisolated func begin(_ transfer: Transfer) {
    guard let line = lineHere() else { return transfer.finish(.shutDown) }
    line.begin(transfer)
  }

  nonisolated func release(_ place: RequestQueue.ID) { lineHere()?.release(place) }

  /// The requests, for the transfer thread. On any other thread, the program stops, since two threads would change them at once.
  nonisolated func lineHere() -> TransferLine? {
    precondition(isOnThread, "not on the transfer thread")
    return unsafe line
  }
}

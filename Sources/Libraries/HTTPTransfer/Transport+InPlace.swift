import Linux

/// Requests of tasks that run on the transfer thread.
///
/// Such a task is where the actor's state may be used, but the runtime does not know that: to call a method of the actor, a task
/// goes into the thread's queue, and to return from it once more. So these functions use the state in place, between two steps of
/// libcurl as all jobs of the thread. A small request is then queued once, when its answer is there. `assumeIsolated` would do too,
/// but allocates memory five times a request.
extension Transport {
  /// Does what ``send(_:built:)`` does, on the thread.
  nonisolated func sendInPlace(
    _ traits: RequestTraits, built build: @Sendable () async throws -> HTTPRequest
  ) async throws -> HTTPResponse {
    let place = try await placeInPlace(for: traits)
    let request: HTTPRequest
    do {
      request = try await build()
      try request.check()
      guard !Task.isCancelled else { throw TransferError.cancelled(requestMayHaveArrived: false) }
    } catch {
      // Building may have waited for keys, which resumes a task of this thread here again.
      requestsHere().release(place.id)
      throw error
    }
    let mail = mail
    let result: Result<HTTPResponse, TransferError> = await withTaskCancellationHandler {
      await Waiter.wait { waiter in
        self.requestsHere().begin(Transfer(id: place.id, request: request, sink: .collect(waiter)))
      }
    } onCancel: {
      // The message is read after the current job, hence after the start, even if the task was cancelled before.
      mail.cancel(place.id)
    }
    return try result.get()
  }

  private nonisolated func placeInPlace(for traits: RequestTraits) async throws(TransferError) -> Slot {
    let id = try requestsHere().admit()
    if requestsHere().enter(id, traits) { return Slot(id: id) }
    let mail = mail
    let refusal: TransferError? = await withTaskCancellationHandler {
      await Waiter.wait { waiter in self.requestsHere().wait(id, traits, waiter) }
    } onCancel: {
      mail.cancel(id)
    }
    if let refusal { throw refusal }
    return Slot(id: id)
  }

  /// The requests, for the transfer thread. Anywhere else it stops the program, since two threads would change them at once.
  private nonisolated func requestsHere() -> TransferRequests {
    precondition(isOnThread, "not on the transfer thread")
    return unsafe requests
  }
}

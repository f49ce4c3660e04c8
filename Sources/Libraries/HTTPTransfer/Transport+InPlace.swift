import Linux

/// Requests of tasks that run on the transfer thread.
///
/// Such a task is where the actor's state may be used, but the runtime does not know that: to call a method of the actor, a task
/// goes into the thread's queue, and to return from it once more. So these functions use the state in place, between two steps of
/// libcurl as all jobs of the thread. A small request is then queued once, when its answer is there.
extension Transport {
  /// The result of asking for a place.
  private enum Entry: Sendable {
    case given(Slot)
    case mustWait(RequestQueue.ID)
    case refused(TransferError)
  }

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
      inPlace { $0.release(place) }
      throw error
    }
    let mail = mail
    let result: Result<HTTPResponse, TransferError> = await withTaskCancellationHandler {
      await Waiter.wait { waiter in
        self.inPlace { $0.begin(Transfer(id: place.id, request: request, sink: .collect(waiter))) }
      }
    } onCancel: {
      // The message is read after the current job, hence after the start, even if the task was cancelled before.
      mail.cancel(place.id)
    }
    return try result.get()
  }

  private nonisolated func placeInPlace(for traits: RequestTraits) async throws(TransferError) -> Slot {
    switch inPlace({ $0.entry(for: traits) }) {
    case .given(let place): return place
    case .refused(let error): throw error
    case .mustWait(let id):
      let mail = mail
      let refusal: TransferError? = await withTaskCancellationHandler {
        await Waiter.wait { waiter in self.inPlace { $0.wait(id, traits, waiter) } }
      } onCancel: {
        mail.cancel(id)
      }
      if let refusal { throw refusal }
      return Slot(id: id)
    }
  }

  /// Uses the actor's state on its thread. An async function may not call `assumeIsolated` itself: where it runs may change while it
  /// waits, and here it does not.
  private nonisolated func inPlace<Value: Sendable>(_ body: (isolated Transport) -> Value) -> Value {
    assumeIsolated(body)
  }

  private func entry(for traits: RequestTraits) -> Entry {
    do throws(TransferError) {
      let id = try admit()
      return enter(id, traits) ? .given(Slot(id: id)) : .mustWait(id)
    } catch {
      return .refused(error)
    }
  }
}

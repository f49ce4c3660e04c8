import Linux

/// The waiting requests and those in flight, with libcurl (``MultiHandle``) or in a simulation (``SimulatedTransfers``). It is
/// used only on the transfer thread.
class TransferLine {
  final var queue: RequestQueue
  private final var lastID: RequestQueue.ID = 0
  /// The callers of requests that may not begin yet. They are resumed with nil when the request may begin, or with the reason why it never
  /// will.
  private final var waiting: [RequestQueue.ID: Waiter<TransferError?>] = [:]
  /// True once no request may wait for its limit of requests a second.
  final var endsRateWaits = false
  /// True if ``step()`` must handle a change.
  var needsStep = false

  /// - Parameters:
  ///   - inFlight: the maximum number of requests in flight.
  ///   - sendLimit: the limit of bytes per second for all paced bodies together; nil for no limit.
  init(inFlight: Int, sendLimit: Int64?, rates: RequestRates) {
    queue = RequestQueue(limit: inFlight, rate: sendLimit, rates: rates)
  }

  /// Milliseconds on a steady clock.
  var now: Int64 { 0 }
  /// True if ``step()`` must be called because a time has come.
  var isDue: Bool { false }
  /// True while transfers are in flight.
  var isBusy: Bool { false }

  /// Begins a transfer in the place of its request.
  func begin(_ transfer: Transfer) {}
  /// Cuts a transfer. An unknown one has already ended.
  func cut(_ id: UInt64) {}
  /// Cuts all transfers.
  func cutAll() {}
  /// Lets a paused transfer continue.
  func resume(_ id: UInt64) {}
  /// Handles everything that is due.
  func step() {}
  /// Waits until there is something to do, or the thread's bell rings. Returns true for the bell.
  func wait() -> Bool { false }

  /// Returns the number of a new request.
  final func newID() -> RequestQueue.ID {
    lastID += 1
    return lastID
  }

  /// Changes the maximum number of requests in flight, also for waiting requests.
  final func limit(inFlight: Int) {
    queue.limit = inFlight
    needsStep = true
  }

  /// Adds a request that waits for a place.
  final func wait(_ id: RequestQueue.ID, _ traits: RequestTraits, _ waiter: Waiter<TransferError?>) {
    waiting[id] = waiter
    queue.add(id, traits)
    giveTurns()
    // It may wait for a time, which a step looks at.
    if waiting[id] != nil { needsStep = true }
  }

  /// Releases a place in which no transfer was begun.
  final func release(_ id: RequestQueue.ID) {
    queue.release(id, unsent: true)
    needsStep = true
  }

  /// Lets requests whose turn has come begin or continue.
  final func giveTurns() {
    while let turn = queue.next(now: now) {
      switch turn {
      case .begin(let id): waiting.removeValue(forKey: id)?.resume(returning: nil)
      case .goOn(let id): resume(id)
      }
    }
    if endsRateWaits { queue.rated.forEach(giveUp) }
  }

  /// Removes a waiting request. An unknown one does not wait any more.
  final func giveUp(_ id: RequestQueue.ID) {
    guard queue.remove(id) else { return }
    waiting.removeValue(forKey: id)?.resume(returning: .cancelled(requestMayHaveArrived: false))
    needsStep = true
  }

  final func giveUpAll(_ reason: TransferError) {
    for id in queue.removeAll() { waiting.removeValue(forKey: id)?.resume(returning: reason) }
  }
}

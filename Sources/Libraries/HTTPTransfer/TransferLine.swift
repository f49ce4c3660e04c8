import Linux

/// The requests that wait their turn, and those in flight: by libcurl (``MultiHandle``), or in a simulation
/// (``SimulatedTransfers``). Lives on the transfer thread only.
class TransferLine {
  final var queue: RequestQueue
  /// The callers of requests that were not told to begin: resumed with nil when they are, else with the reason why they never are.
  private final var waiting: [RequestQueue.ID: Waiter<TransferError?>] = [:]
  /// True if something was changed that ``step()`` has not seen yet.
  var needsStep = false

  /// - Parameters:
  ///   - inFlight: the number of places.
  ///   - sendLimit: bytes a second of all paced bodies together; nil for no limit.
  init(inFlight: Int, sendLimit: Int64?) { queue = RequestQueue(limit: inFlight, rate: sendLimit) }

  /// Milliseconds on a steady clock.
  var now: Int64 { 0 }
  /// True while transfers are in flight.
  var isBusy: Bool { false }

  /// Begins a transfer in the place that its request was given.
  func begin(_ transfer: Transfer) {}
  /// Cuts a transfer; an unknown one has ended already.
  func cut(_ id: UInt64) {}
  /// Cuts everything.
  func cutAll() {}
  /// Lets a paused transfer go on.
  func resume(_ id: UInt64) {}
  /// Does what is to be done now.
  func step() {}
  /// Waits until there is something to do, or the thread's bell rings. Returns true if it was the bell.
  func wait() -> Bool { false }

  /// Changes the number of places, for those too that wait.
  final func limit(inFlight: Int) {
    queue.limit = inFlight
    needsStep = true
  }

  /// Changes the limits, for those too that wait.
  final func limit(inFlight: Int, sendLimit: Int64?) {
    limit(inFlight: inFlight)
    limit(sendLimit: sendLimit)
  }

  /// Changes the limit of bytes a second, for those too that wait.
  final func limit(sendLimit: Int64?) {
    queue.set(rate: sendLimit, now: now)
    needsStep = true
  }

  /// Gives a request a place if none is before it; false if it has to wait for one.
  final func enter(_ id: RequestQueue.ID, _ traits: RequestTraits) -> Bool { queue.enter(id, traits) }

  /// Puts a request in line for a place.
  final func wait(_ id: RequestQueue.ID, _ traits: RequestTraits, _ turn: Waiter<TransferError?>) {
    waiting[id] = turn
    queue.add(id, traits)
    giveTurns()
  }

  /// Gives a place back for which no transfer was begun.
  final func release(_ id: RequestQueue.ID) {
    queue.release(id, unsent: true)
    needsStep = true
  }

  /// Lets those begin or go on whose turn has come.
  final func giveTurns() {
    while let turn = queue.next(now: now) {
      switch turn {
      case .begin(let id): waiting.removeValue(forKey: id)?.resume(returning: nil)
      case .goOn(let id): resume(id)
      }
    }
  }

  /// Takes a request out of the line; an unknown one has left it already.
  final func giveUp(_ id: RequestQueue.ID) {
    guard queue.remove(id) else { return }
    waiting.removeValue(forKey: id)?.resume(returning: .cancelled(requestMayHaveArrived: false))
    needsStep = true
  }

  /// Takes all requests out of the line, for this reason.
  final func giveUpAll(_ reason: TransferError) {
    for id in queue.removeAll() { waiting.removeValue(forKey: id)?.resume(returning: reason) }
  }
}

import Linux

/// The requests of a transport: waiting and in flight until it is shut down. It is used only on the transfer thread.
final class TransferRequests {
  /// Nil after ``Transport/shutdown()``.
  var line: TransferLine?
  private var lastID: RequestQueue.ID = 0

  /// Returns the number of a new request. Throws ``TransferError`` if the task is cancelled or the transport shut down.
  func admit() throws(TransferError) -> RequestQueue.ID {
    guard !Task.isCancelled else { throw .cancelled(requestMayHaveArrived: false) }
    guard line != nil else { throw .shutDown }
    lastID += 1
    return lastID
  }

  /// Gives a request a place if none is before it; returns false if it must wait.
  func enter(_ id: RequestQueue.ID, _ traits: RequestTraits) -> Bool { line?.enter(id, traits) == true }

  /// Has a request wait for its place.
  func wait(_ id: RequestQueue.ID, _ traits: RequestTraits, _ turn: Waiter<TransferError?>) {
    guard let line else { return turn.resume(returning: .shutDown) }
    line.wait(id, traits, turn)
  }

  /// Begins a transfer in the place of its request.
  func begin(_ transfer: Transfer) {
    guard let line else { return transfer.finish(.shutDown) }
    line.begin(transfer)
  }

  /// Releases a place in which nothing was begun.
  func release(_ id: RequestQueue.ID) { line?.release(id) }
}

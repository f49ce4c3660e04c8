import Jobs
import Synchronization

/// The work in flight, each piece of which can be cut by its job's number.
final class InFlight: Sendable {
  /// A task that does one piece of work after another, until one is cut.
  final class Slot: Sendable {
    private struct Contents {
      var cancel: (@Sendable () -> Void)?
      var isCut = false
    }

    private let contents = Mutex(Contents())

    var isCut: Bool { contents.withLock(\.isCut) }

    fileprivate func cut() {
      let cancel = contents.withLock { contents in
        contents.isCut = true
        return contents.cancel
      }
      cancel?()
    }

    fileprivate func began(_ cancel: @escaping @Sendable () -> Void) {
      let isCut = contents.withLock { contents in
        contents.cancel = cancel
        return contents.isCut
      }
      if isCut { cancel() }
    }
  }

  private struct Piece {
    let job: JobNumber
    let destination: Destination
    let slot: Slot
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private struct Table {
    /// By its own number: a cut piece may still be ending when the next one of the same job begins.
    var pieces: [Int: Piece] = [:]
    var lastNumber = 0
    var isClosed = false
  }

  private let table = Mutex(Table())
  private let executor: any TaskExecutor

  init(on executor: any TaskExecutor) { self.executor = executor }

  /// Runs a body that does pieces of work in a slot. The task is unstructured only to have a handle; it is cancelled with its caller.
  func withSlot<Value: Sendable>(_ body: @escaping @Sendable (Slot) async throws -> Value) async throws -> Value {
    let slot = Slot()
    let task = Task(executorPreference: executor) { try await body(slot) }
    slot.began { task.cancel() }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Does a piece of work in a slot, so that it can be cut.
  func run<Value: Sendable>(
    _ job: JobNumber, at destination: Destination, in slot: Slot, _ body: () async -> Value
  ) async -> Value {
    let number = begin(job, at: destination, in: slot) { false }
    let value = await body()
    end(number)
    return value
  }

  /// Begins a piece of work in a slot, which can be cut until ``end(_:)``; returns the piece's number. `isWithdrawn` is called once the
  /// piece can be cut: a caller that withdraws a job commits first and cuts afterwards, perhaps before that.
  func begin(_ job: JobNumber, at destination: Destination, in slot: Slot, unless isWithdrawn: () -> Bool) -> Int {
    let (number, isClosed) = table.withLock { table in
      table.lastNumber += 1
      table.pieces[table.lastNumber] = Piece(job: job, destination: destination, slot: slot)
      return (table.lastNumber, table.isClosed)
    }
    if isClosed || isWithdrawn() { slot.cut() }
    return number
  }

  func end(_ number: Int) {
    let piece = table.withLock { $0.pieces.removeValue(forKey: number) }
    assert(piece != nil, "a piece of work ended twice")
    for caller in piece?.waiting ?? [] { caller.resume() }
  }

  func has(_ job: JobNumber) -> Bool { table.withLock { table in table.pieces.values.contains { $0.job == job } } }

  func cut(_ job: JobNumber) {
    let slots = table.withLock { table in table.pieces.values.filter { $0.job == job }.map(\.slot) }
    for slot in slots { slot.cut() }
  }

  /// Cuts the work in flight for a job at one destination, and waits for its end.
  func cutAndWait(_ job: JobNumber, at destination: Destination) async {
    let pieces = table.withLock { table in
      table.pieces.filter { $0.value.job == job && $0.value.destination == destination }
    }
    for (number, piece) in pieces {
      piece.slot.cut()
      await end(of: number)
    }
  }

  private func end(of number: Int) async {
    await withCheckedContinuation { caller in
      let hasEnded = table.withLock { table in
        guard var piece = table.pieces[number] else { return true }
        piece.waiting.append(caller)
        table.pieces[number] = piece
        return false
      }
      if hasEnded { caller.resume() }
    }
  }

  /// Cuts all pieces of work, and all that begin later.
  func cutAll() {
    let slots = table.withLock { table in
      table.isClosed = true
      return table.pieces.values.map(\.slot)
    }
    for slot in slots { slot.cut() }
  }
}

import CCurl

/// Has transfers wait for their turn where all together may send only so many bytes a second; without a limit nobody waits.
///
/// A body in memory waits before its request is built, and goes out whole; one from a file is given a portion at a time, and
/// is paused between. All stand in line; those with a long body in one of their own, and the two lines take turns, so that
/// a small body waits for one portion of a long one and not for one of each. Lives on the transfer thread only.
final class Pacer {
  /// Who waits.
  enum Turn {
    /// A request that has not begun, and is not built yet.
    case begin(RequestQueue.ID, RequestTraits)
    /// A transfer that is paused.
    case goOn(Transfer)

    /// The number of the request.
    var id: RequestQueue.ID {
      switch self {
      case .begin(let id, _): id
      case .goOn(let transfer): transfer.id
      }
    }

    fileprivate var isBulk: Bool {
      switch self {
      case .begin(_, let traits): traits.isBulk
      case .goOn(let transfer): transfer.request.isBulk
      }
    }

    fileprivate var hasBegun: Bool { if case .begin = self { false } else { true } }
  }

  private var pace: SendPace?
  private var line: [Turn] = []
  private var bulkLine: [Turn] = []
  private var lastWasBulk = false
  /// Those that were told to wait and that libcurl has not yet been told of.
  private var newlyPaused: [Transfer] = []

  init(rate: Int64?) { set(rate: rate) }

  /// Changes the limit, nil for none. Those in line go on by it.
  func set(rate: Int64?) { pace = rate.map { SendPace(rate: $0, now: ccurl_milliseconds()) } }

  /// Whether anybody waits.
  var isWaitedFor: Bool { !line.isEmpty || !bulkLine.isEmpty }
  /// When the next one's turn comes, in milliseconds on the shim's clock; nil where nobody waits.
  var deadline: Int64? { isWaitedFor ? pace?.next ?? ccurl_milliseconds() : nil }

  private func maySend() -> Bool { pace?.maySend(now: ccurl_milliseconds()) ?? true }

  /// Whether a request may begin now. One that may not stands in line.
  func mayBegin(_ id: RequestQueue.ID, _ traits: RequestTraits) -> Bool {
    guard traits.pacedBytes > 0 else { return true }
    guard !isWaitedFor, maySend() else {
      wait(.begin(id, traits))
      return false
    }
    pace?.spend(traits.pacedBytes)
    return true
  }

  /// Gives back what a request was granted that is not sent after all.
  func refund(_ traits: RequestTraits) { pace?.refund(traits.pacedBytes) }

  /// How many of so many bytes a transfer may send now; nil where it has to be paused.
  func grant(_ transfer: Transfer, upTo count: Int) -> Int? {
    if transfer.credit > 0 {
      let granted = min(count, transfer.credit)
      transfer.credit -= granted
      return granted
    }
    guard !isWaitedFor, maySend() else {
      wait(.goOn(transfer))
      newlyPaused.append(transfer)
      return nil
    }
    guard let portion = pace?.portion else { return count }
    let granted = min(count, portion)
    pace?.spend(granted)
    return granted
  }

  private func wait(_ turn: Turn) {
    if turn.isBulk { bulkLine.append(turn) } else { line.append(turn) }
  }

  /// Those that have been told to wait since the last call.
  func takeNewlyPaused() -> [Transfer] { exchange(&newlyPaused, with: []) }

  /// The next one whose turn has come; what it may send is taken for it.
  func next() -> Turn? {
    guard isWaitedFor, maySend() else { return nil }
    lastWasBulk = line.isEmpty || (!bulkLine.isEmpty && !lastWasBulk)
    let turn = lastWasBulk ? bulkLine.removeFirst() : line.removeFirst()
    switch turn {
    case .begin(_, let traits): pace?.spend(traits.pacedBytes)
    case .goOn(let transfer):
      transfer.credit = pace?.portion ?? 0
      pace?.spend(transfer.credit)
    }
    return turn
  }

  /// Forgets a transfer that has ended, and takes it out of the line.
  func forget(_ transfer: Transfer) {
    pace?.refund(transfer.credit)
    transfer.credit = 0
    newlyPaused.removeAll { $0 === transfer }
    line.removeAll { $0.id == transfer.id }
    bulkLine.removeAll { $0.id == transfer.id }
  }

  /// Empties the line and gives those that have not begun.
  func removeAll() -> [RequestQueue.ID] {
    defer {
      line = []
      bulkLine = []
      newlyPaused = []
    }
    return (line + bulkLine).filter { !$0.hasBegun }.map(\.id)
  }

  /// Takes a request that has not begun out of the line; false if it does not stand in it.
  func remove(_ id: RequestQueue.ID) -> Bool {
    let count = line.count + bulkLine.count
    line.removeAll { !$0.hasBegun && $0.id == id }
    bulkLine.removeAll { !$0.hasBegun && $0.id == id }
    return line.count + bulkLine.count < count
  }
}

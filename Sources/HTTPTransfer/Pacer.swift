import CCurl

/// Has transfers wait for their turn where all together may send only so many bytes a second; without a limit nobody waits.
///
/// A body in memory waits before its request begins, and goes out whole; one from a file is given a portion at a time, and
/// is paused between. All stand in line; those with a long body in one of their own, and the two lines take turns, so that
/// a small body waits for one portion of a long one and not for one of each. Lives on the transfer thread only.
final class Pacer {
  /// Who waits.
  enum Turn {
    /// A transfer that has not begun.
    case begin(Transfer)
    /// One that is paused.
    case goOn(Transfer)

    var transfer: Transfer {
      switch self {
      case .begin(let transfer), .goOn(let transfer): transfer
      }
    }
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

  /// Whether a transfer may begin now. One that may not stands in line.
  func mayBegin(_ transfer: Transfer) -> Bool {
    guard case .bytes(let bytes) = transfer.request.body, !bytes.isEmpty else { return true }
    guard !isWaitedFor, maySend() else {
      wait(.begin(transfer))
      return false
    }
    pace?.spend(bytes.count)
    return true
  }

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
    if turn.transfer.request.isBulk { bulkLine.append(turn) } else { line.append(turn) }
  }

  /// Those that have been told to wait since the last call.
  func takeNewlyPaused() -> [Transfer] { exchange(&newlyPaused, with: []) }

  /// The next one whose turn has come; what it may send is taken for it.
  func next() -> Turn? {
    guard isWaitedFor, maySend() else { return nil }
    lastWasBulk = line.isEmpty || (!bulkLine.isEmpty && !lastWasBulk)
    let turn = lastWasBulk ? bulkLine.removeFirst() : line.removeFirst()
    switch turn {
    case .begin(let transfer): pace?.spend(Int(transfer.request.bodyLength))
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
    line.removeAll { $0.transfer === transfer }
    bulkLine.removeAll { $0.transfer === transfer }
  }

  /// Empties the line and gives those that have not begun.
  func clear() -> [Transfer] {
    let waiting = (line + bulkLine).compactMap { turn -> Transfer? in
      if case .begin(let transfer) = turn { return transfer }
      return nil
    }
    line = []
    bulkLine = []
    newlyPaused = []
    return waiting
  }

  /// The transfer with an id that has not begun.
  func notBegun(_ id: UInt64) -> Transfer? {
    for case .begin(let transfer) in line + bulkLine where transfer.id == id { return transfer }
    return nil
  }
}

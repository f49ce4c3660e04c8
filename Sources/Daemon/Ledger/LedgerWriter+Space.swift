import Linux
import SQLite
import Synchronization

extension LedgerWriter {
  struct Space {
    /// True from the report of a full disk to the report of its end.
    var isToldFull = false
    /// True from the time at which the reserve is given up until it is there again: nothing is admitted meanwhile.
    var isReserveInUse: Bool
  }

  /// Reports once that the disk is full, until ``reportSpace()``.
  func reportFull(_ why: String) {
    let (isNews, isReserveInUse) = space.withLock { (!exchange(&$0.isToldFull, with: true), $0.isReserveInUse) }
    guard isNews else { return }
    let use = isReserveInUse ? "; its reserve is in use" : ""
    report(LedgerError(.full, "no space for the ledger: \(why)\(use)"))
  }

  /// Reports that there is space again, if the opposite was reported and nothing waits for it.
  func reportSpace() {
    guard !isStalled else { return }
    let isOver = space.withLock { space in !space.isReserveInUse && exchange(&space.isToldFull, with: false) }
    if isOver { report(nil) }
  }

  /// The pause before the reserve is tried again for which there was no space at the start.
  private static let longPause: Duration = .seconds(60)

  /// Copies the log of writes into the ledger, so that the next commit begins it anew. SQLite does so only after commits, so a log that
  /// filled the disk during a long read would stay for ever. The log is not truncated, because an empty log would look like a loss.
  /// Returns true if there is room now.
  func makeRoom() throws -> Bool {
    do {
      return try pool.write { db in try db.copyWriteAheadLog() }
    } catch let error as SQLiteError where error.isBusy || error.isForWantOfSpace {
      return false  // the ledger's file has to grow too
    }
  }

  /// Gives the reserve up, so that the log of writes can be copied into the ledger and begun anew. If the ledger would take more space for
  /// that than there is now, the log grows instead.
  /// Returns true if there is space now.
  func useReserve(_ error: SQLiteError) throws -> Bool {
    let bytes = files.giveUpReserve()
    guard bytes > 0 else { return false }
    space.withLock { $0.isReserveInUse = true }
    reportFull("\(error)")
    let pages: (Int64, Int64) = try pool.write { db in
      (try db.value("PRAGMA page_count") ?? 0, try db.value("PRAGMA page_size") ?? 0)
    }
    if pages.0 * pages.1 - (try files.size(LedgerFiles.name) ?? 0) <= bytes { _ = try makeRoom() }
    lookForReserveLater()
    return true
  }

  /// Tries again and again to make the reserve, until it is there or the ledger is closed.
  func lookForReserveLater() {
    guard !inbox.withLock({ $0.isClosing }) else { return }
    line.add(after: space.withLock(\.isReserveInUse) ? Self.pause : Self.longPause) { [weak self] in
      guard let self else { return }
      // a batch that waits for space comes first
      guard !isStalled, files.makeReserve() else { return lookForReserveLater() }
      space.withLock { $0.isReserveInUse = false }
      reportSpace()
    }
  }
}

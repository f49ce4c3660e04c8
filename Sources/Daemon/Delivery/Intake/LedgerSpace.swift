package import Linux
package import Messages
import Synchronization

/// Watches if the ledger's file system has `min_free` left. If not, no file is admitted; jobs in flight continue.
package final class LedgerSpace: Sendable {
  private let directory: Directory
  private let limit: @Sendable () -> Int64
  /// The shortage; nil if there is none.
  private let message = Mutex<Message?>(nil)
  private let report: @Sendable (Message?) -> Void

  /// Creates a watch. `minFree` is read at each check; `tell` is called once with the reason when space becomes short, and with
  /// nil when that is over.
  package init(
    directory: Directory, minFree: @escaping @Sendable () -> Int64, report: @escaping @Sendable (Message?) -> Void
  ) {
    self.directory = directory
    limit = minFree
    self.report = report
  }

  /// Checks the space, and reports a change. A shortage ends at a sixteenth above `min_free`, so that admission does not flutter.
  func check() -> Bool {
    let minFree = limit()
    guard minFree > 0 || shortage != nil else { return true }
    let free: Int64
    do throws(FileError) {
      free = try directory.fileSystem().availableBytes
    } catch {
      return true  // a ledger that cannot be written is reported elsewhere
    }
    let (now, isNews) = message.withLock { message -> (Message?, Bool) in
      let wasShort = message != nil
      let isShort = free < (wasShort ? minFree + minFree / 16 : minFree)
      if isShort != wasShort {
        message = isShort ? .spaceShort(free: free, directory: directory.path, least: minFree) : nil
      }
      return (message, isShort != wasShort)
    }
    if isNews { report(now) }
    return now == nil
  }

  /// The shortage; nil if there is none.
  var shortage: Message? { message.withLock(\.self) }
}

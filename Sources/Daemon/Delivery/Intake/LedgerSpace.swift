package import Linux
import Synchronization

/// Watches if the ledger's file system has `min_free` left. While it has not, no file is admitted; jobs in flight go
/// on.
package final class LedgerSpace: Sendable {
  private let directory: Directory
  private let limit: @Sendable () -> Int64
  private let isShort = Mutex(false)
  private let words = Mutex<String?>(nil)
  private let tell: @Sendable (String?) -> Void

  /// `minFree` is asked at each look; `tell` hears the reason once when it becomes short, and nil when it is over.
  package init(
    directory: Directory, minFree: @escaping @Sendable () -> Int64, tell: @escaping @Sendable (String?) -> Void
  ) {
    self.directory = directory
    limit = minFree
    self.tell = tell
  }

  /// Looks. A shortage is over once there is a sixteenth more than `min_free`, so that a disk that hovers there does not
  /// stop and start admission all the time.
  func isEnough() -> Bool {
    let minFree = limit()
    guard minFree > 0 || isShort.withLock(\.self) else { return true }
    let free: Int64
    do throws(FileError) {
      free = try directory.fileSystem().availableBytes
    } catch {
      return true  // a ledger that cannot be written says so by itself
    }
    let (wasShort, isShort) = isShort.withLock { isShort in
      let was = isShort
      isShort = free < (was ? minFree + minFree / 16 : minFree)
      return (was, isShort)
    }
    if isShort, !wasShort {
      say(
        "no new files are admitted: \(Self.text(free)) are free for the ledger in \(directory.path), and min_free is "
          + Self.text(minFree))
    } else if wasShort, !isShort {
      say(nil)
    }
    return !isShort
  }

  /// The shortage in words; nil if there is none.
  var shortage: String? { words.withLock(\.self) }

  private func say(_ words: String?) {
    self.words.withLock { $0 = words }
    tell(words)
  }

  /// A size in the largest unit that leaves it at least 1, e.g. `12.3 MiB`.
  private static func text(_ bytes: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded(.down))
    return unit == 0 || tenths % 10 == 0
      ? "\(tenths / 10) \(units[unit])" : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

import Jobs

/// The files whose size keeps them in the spool. Each is looked at again as soon as something happens to it, and by each scan.
///
/// Its size is limited: of the names that do not fit, only the number is known, as the last scan found it.
struct RefusedSizes {
  typealias Refusal = SizeLimits.Refusal

  /// The maximum number of names that are kept.
  static let most = 4096

  private struct Entry {
    let refusal: Refusal
    /// The last scan that met it, or that was the last one when it was refused.
    let scan: Int
  }

  private let limit: Int
  private var entries: [FileName: Entry] = [:]
  private var kept: [Refusal: Int] = [:]
  private var unkept: [Refusal: Int] = [:]
  private var unkeptSoFar: [Refusal: Int] = [:]

  init(limit: Int = most) { self.limit = limit }

  /// True if no file is kept in the spool by its size.
  var isEmpty: Bool { entries.isEmpty }

  /// The number of files that a reason keeps in the spool.
  var counts: [Refusal: Int] { kept.merging(unkept, uniquingKeysWith: +) }

  /// Adds a file. `scan` is the number of the last scan that was begun; `isScanned` tells that this scan has met the file.
  mutating func add(_ name: FileName, _ refusal: Refusal, scan: Int, isScanned: Bool) {
    forget(name)
    if entries.count < limit {
      entries[name] = Entry(refusal: refusal, scan: scan)
      kept[refusal, default: 0] += 1
    } else if isScanned {
      unkeptSoFar[refusal, default: 0] += 1
    } else {
      unkept[refusal, default: 0] += 1
    }
  }

  mutating func forget(_ name: FileName) {
    guard !entries.isEmpty, let entry = entries.removeValue(forKey: name) else { return }
    kept[entry.refusal, default: 0] -= 1
  }

  /// Forgets what is in a directory and below it.
  mutating func forget(in folder: Folder) {
    for name in entries.keys where folder.holds(name) { forget(name) }
  }

  mutating func beginScan() { unkeptSoFar = [:] }

  /// A scan of the whole spool has ended: the names that it did not meet are gone.
  mutating func endScan(_ scan: Int) {
    unkept = unkeptSoFar
    for (name, entry) in entries where entry.scan < scan { forget(name) }
  }
}

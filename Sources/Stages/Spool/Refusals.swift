import Jobs
import Linux

/// Names in the spool of which something is remembered, with their owners. Their number is limited: beyond it, some give way (``Crowd``).
struct RememberedNames<Value: Sendable>: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The maximum number of names.
  static var most: Int { 1024 }

  private(set) var byName: [FileName: (value: Value, owner: UInt32?, at: Instant)] = [:]

  subscript(name: FileName) -> Value? { byName.isEmpty ? nil : byName[name]?.value }

  mutating func add(_ name: FileName, _ value: Value, owner: UInt32?, now: Instant) {
    byName[name] = (value, owner, now)
  }

  var isOverfull: Bool { byName.count > Self.most }

  /// The names that are to be forgotten, because there are too many.
  var leavers: [FileName] {
    guard isOverfull else { return [] }
    let members = byName.map { Crowd.Member(name: $0, owner: $1.owner, isStuck: true, since: $1.at) }
    return Crowd.leavers(members, Self.most / Crowd.part).map(\.name)
  }

  mutating func forget(_ name: FileName) {
    if !byName.isEmpty { byName[name] = nil }
  }

  /// Forgets the names that were last tried before `time`: they are gone, or not wanted any more.
  mutating func forget(before time: Instant) {
    if !byName.isEmpty { byName = byName.filter { $0.value.at >= time } }
  }
}

/// The files that stay in the spool because of their size. An event about such a file, or a scan that finds another size, makes
/// it a candidate again.
///
/// Its size is limited: the names beyond the limit are only counted by the last scan.
struct RefusedSizes {
  /// The maximum number of names that are kept.
  static let most = 4096

  private struct Entry {
    let refusal: FileStatus.Reason
    /// The number of the last scan that found it, or of the last scan when it was refused.
    let scan: Int
  }

  private let limit: Int
  private var entries: [FileName: Entry] = [:]
  private var kept: [FileStatus.Reason: Int] = [:]
  private var unkept: [FileStatus.Reason: Int] = [:]
  private var unkeptSoFar: [FileStatus.Reason: Int] = [:]

  init(limit: Int = most) { self.limit = limit }

  /// True if no such file is recorded by name.
  var isEmpty: Bool { entries.isEmpty }

  /// The number of files for each reason.
  var counts: [FileStatus.Reason: Int] { kept.merging(unkept, uniquingKeysWith: +) }

  /// Adds a file. `scan` is the number of the last scan that began; `isScanned` is true if this scan has found the file.
  mutating func add(_ name: FileName, _ refusal: FileStatus.Reason, scan: Int, isScanned: Bool) {
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

  /// Forgets what is in directories and below them.
  mutating func forget(in folders: Set<Folder>) {
    for name in entries.keys {
      var folder = Folder(of: name)
      while !folders.contains(folder), let (above, _) = folder.above { folder = above }
      if folders.contains(folder) { forget(name) }
    }
  }

  mutating func beginScan() { unkeptSoFar = [:] }

  /// Ends a scan of the whole spool: the names that it did not find are gone.
  mutating func endScan(_ scan: Int) {
    unkept = unkeptSoFar
    for (name, entry) in entries where entry.scan < scan { forget(name) }
  }
}

extension SizeLimits {
  /// Returns the reason why a file of this size is not claimed; nil if it is.
  func refusal(of size: Int64) -> FileStatus.Reason? {
    if size == 0, least > 0 { return .empty }
    if size < least { return .tooSmall }
    if let greatest, size > greatest { return .tooLarge }
    return nil
  }

  /// True if every size is allowed, so that no size needs to be read.
  var isUnlimited: Bool { self == SizeLimits() }
}

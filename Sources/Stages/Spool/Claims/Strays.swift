public import Jobs
public import Linux

/// The claimed files that have no job yet, because a call failed during the claim. From time to time the names in `.waybill` are
/// compared with the ledger.
struct Strays {
  typealias Instant = ContinuousClock.Instant

  /// The time between the first attempts to read a file, and the number of these. Most errors pass at once.
  static let quickInterval = Duration.milliseconds(500)
  static let quickTries = 10
  /// The time between later attempts.
  static let slowInterval = Duration.seconds(5)
  /// The number of attempts after which a job asks about attributes or a sidecar that cannot be read.
  static let patientTries = 20
  /// The maximum number of files that get a job in one comparison; the next one continues.
  static let most = 4096

  private struct Unread {
    let dropped: FileName
    let error: FileError
    var tries: Int
  }

  /// The time of the next comparison.
  private(set) var nextLook: Instant
  private var unread: [JobID: Unread] = [:]

  init(nextLook: Instant) { self.nextLook = nextLook }

  /// Adds a file that was claimed and could not be read.
  mutating func add(_ id: JobID, _ dropped: FileName, _ error: FileError, now: Instant) {
    if unread.count < Self.most { unread[id] = Unread(dropped: dropped, error: error, tries: 1) }
    nextLook = min(nextLook, now + Self.quickInterval)
  }

  /// False if reading the file has failed so often that its job must ask.
  func isPatient(_ id: JobID) -> Bool { (unread[id]?.tries ?? 0) < Self.patientTries }

  /// The error that prevents a file of this name from being read; nil if there is none.
  func error(of dropped: FileName) -> FileError? { unread.values.first { $0.dropped == dropped }?.error }

  /// Begins a comparison. If nothing goes wrong, the next one is at `next`.
  mutating func beginLook(next: Instant) { nextLook = next }

  /// Ends a comparison, after which these files still cannot be read.
  mutating func endLook(_ setAside: [SetAside], now: Instant) {
    var still: [JobID: Unread] = [:]
    for file in setAside {
      still[file.id] = Unread(dropped: file.dropped, error: file.error, tries: (unread[file.id]?.tries ?? 0) + 1)
    }
    unread = still
    guard let fewest = still.values.map(\.tries).min() else { return }
    nextLook = min(nextLook, now + (fewest < Self.quickTries ? Self.quickInterval : Self.slowInterval))
  }

  /// Records that the comparison failed as a whole.
  mutating func failedToLook(now: Instant) { nextLook = min(nextLook, now + Self.slowInterval) }
}

/// A claimed file that has no job yet, because it cannot be read. The daemon tries again by itself.
public struct SetAside: Sendable {
  /// The id in its claimed name.
  public let id: JobID
  /// The name that it was dropped under, preceded by its path.
  public let dropped: FileName
  /// The error of the failed read.
  public let error: FileError

  init(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    self.id = id
    self.dropped = dropped
    self.error = error
  }
}

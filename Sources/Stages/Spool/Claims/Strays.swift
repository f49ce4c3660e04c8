import Jobs
import Linux

/// The claimed files that have no job yet, although their claim is over: a call failed in the midst of it, or another host had lost
/// a shared spool and did not know it. The names in `.waybill` are compared with the ledger now and then.
struct Strays {
  typealias Instant = ContinuousClock.Instant

  /// The time between the first tries to read one, and their number. Most errors pass at once.
  static let quickInterval = Duration.milliseconds(500)
  static let quickTries = 10
  /// The time between later tries.
  static let slowInterval = Duration.seconds(5)
  /// The number of tries after which a job asks about what belongs to its file and cannot be read.
  static let patientTries = 20
  /// The most that are given a job at one look; the next look gives it to others.
  static let most = 4096

  private struct Unread {
    let dropped: FileName
    let error: FileError
    var tries: Int
  }

  /// The time of the next look.
  private(set) var nextLook: Instant
  private var unread: [JobID: Unread] = [:]

  init(nextLook: Instant) { self.nextLook = nextLook }

  /// Notes a file that was claimed and could not be looked at.
  mutating func add(_ id: JobID, _ dropped: FileName, _ error: FileError, now: Instant) {
    if unread.count < Self.most { unread[id] = Unread(dropped: dropped, error: error, tries: 1) }
    nextLook = min(nextLook, now + Self.quickInterval)
  }

  /// False if a file could not be read so often that its job is to ask.
  func isPatient(_ id: JobID) -> Bool { (unread[id]?.tries ?? 0) < Self.patientTries }

  /// The error that keeps a file from being read; nil if there is none of this name.
  func error(of dropped: FileName) -> FileError? { unread.values.first { $0.dropped == dropped }?.error }

  /// A look begins; if nothing goes wrong, the next one comes after a pause.
  mutating func beginLook(next: Instant) { nextLook = next }

  /// A look has ended, and these files still cannot be read.
  mutating func endLook(_ setAside: [SetAside], now: Instant) {
    var still: [JobID: Unread] = [:]
    for file in setAside {
      still[file.id] = Unread(dropped: file.dropped, error: file.error, tries: (unread[file.id]?.tries ?? 0) + 1)
    }
    unread = still
    guard let fewest = still.values.map(\.tries).min() else { return }
    nextLook = min(nextLook, now + (fewest < Self.quickTries ? Self.quickInterval : Self.slowInterval))
  }

  /// The look failed as a whole.
  mutating func failedToLook(now: Instant) { nextLook = min(nextLook, now + Self.slowInterval) }
}

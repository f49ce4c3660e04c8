import Glibc
package import Jobs
package import Linux
import Messages
import Seams
import Synchronization

/// A spool: finds finished files, claims them, opens them for attempts, and disposes of them.
///
/// All calls except ``run(_:)`` block for a short time and may come from any thread. Claimed files are named by the name they were dropped
/// under, preceded by their path in a recursive spool (``Claim/dropped``).
package final class SpoolDirectory: Sendable {
  package let options: SpoolOptions

  package struct Status: Sendable, Equatable {
    package var isPresent = true
    /// True if inotify reports all changes; otherwise the directory is polled.
    package var isWatched = false
    /// True if inotify reports changes, even if not all.
    package var hearsEvents = false
    package var lastScan: Timestamp?
    package var scans = 0
    /// The number of files that are settling, or are ready and wait for room.
    package var candidates = 0
    /// The number of files in it that are not claimed, from the last scan and the events since.
    package var untaken = 0
    /// The number of names that are not claimed, by reason; for the reasons of ``FileStatus/Reason/isLasting``, those that the last scan of
    /// the whole directory skipped.
    package var names: [FileStatus.Reason: Int] = [:]
    /// True if a lease can show whether a file is open for writing: a file of the daemon's own user, or any file with CAP_LEASE.
    package var isLeased = false
    /// The files whose writers a lease can show, as named in the control interface: `own` if CAP_LEASE is missing.
    package var leases: String { isLeased ? ProcessRights.mayLeaseOthersFiles ? "all" : "own" : "none" }
    /// The counts in ``names`` that are not 0, by the reasons' names in the control interface.
    package var waiting: [String: Int] {
      Dictionary(uniqueKeysWithValues: names.filter { $0.value > 0 }.map { ($0.key.rawValue, $0.value) })
    }
    /// The kinds of evidence that can make a file ready here, as named in the control interface.
    package var readiness: [String] {
      (hearsEvents ? ["renamed", "closed"] : []) + (isLeased ? ["lease"] : []) + ["still"]
    }
  }

  private let state: Mutex<(status: Status, watch: SpoolWatch?)>
  /// The directory with its lock, shared with other instances.
  package let lock: SpoolLock
  /// The reason why the spool could not be used when this object was created; nil if it could. The run tries again and reports problems.
  package let refusal: SpoolProblem?
  let machine: Machine

  package convenience init(_ options: SpoolOptions, on machine: Machine = .system) throws(SpoolProblem) {
    let lock = SpoolLock()
    lock.held = try LockedSpool.open(options)
    self.init(options, lock, on: machine)
  }

  /// A spool that cannot be used at this time. ``run(_:)`` looks for it as for a spool that has disappeared.
  package convenience init(_ options: SpoolOptions, refusal: SpoolProblem, on machine: Machine) {
    self.init(options, SpoolLock(), refusal: refusal, on: machine)
  }

  /// The same directory and lock with other options, for a reload, or for a spool that comes back while its requests are in flight. Only
  /// one instance of a lock may run; calls about claimed files may go to each. Nil if nobody uses the lock any more; then the spool must be
  /// opened again.
  package convenience init?(_ options: SpoolOptions, joining lock: SpoolLock, on machine: Machine) {
    guard lock.join() else { return nil }
    self.init(options, lock, on: machine)
  }

  private init(_ options: SpoolOptions, _ lock: SpoolLock, refusal: SpoolProblem? = nil, on machine: Machine) {
    self.options = options
    self.lock = lock
    self.refusal = refusal
    self.machine = machine
    state = Mutex((Status(), nil))
  }

  deinit { lock.release() }

  /// The time that is compared with file times, and that new ids have.
  func wallClock() -> Timestamp { Timestamp(microseconds: machine.wall()) }

  package var status: Status {
    let held = present
    var status = state.withLock { $0.status }
    (status.isPresent, status.isLeased) = (held != nil, held?.grantsLeases ?? false)
    return status
  }

  /// The claims in `.waybill`. A file that is renamed meanwhile may come twice.
  package func claimBatches() throws(FileError) -> Batches<ClaimListing> {
    Batches(try ClaimListing(try held(), marker: options.group))
  }

  /// Watches, scans, settles and claims until the task is cancelled; then throws `CancellationError`. A problem with one file never ends
  /// it, nor does the loss of the directory. An error of the intake and a `SpoolProblem` of cause `sync` do.
  package func run(_ intake: any SpoolIntake) async throws {
    let watch = try SpoolWatch(self, intake)
    state.withLock {
      precondition($0.watch == nil, "two runs of one spool")
      $0.watch = watch
    }
    defer { state.withLock { $0.watch = nil } }
    try await withTaskExecutorPreference(watch.thread.tasks) { try await watch.run() }
  }

  /// Returns the reason why the file of this name (with its path in the spool) is not claimed, or not yet. Nil if the spool does not run.
  package func status(of name: FileName) async -> FileStatus? {
    await state.withLock { $0.watch }?.standing(of: name)
  }

  /// Returns what would become of a file, or a directory, that is dropped under a name. Nil if the spool does not run.
  package func status(ofComing name: FileName, isDirectory: Bool) async -> FileStatus? {
    await state.withLock { $0.watch }?.status(ofComing: name, isDirectory: isDirectory)
  }

  /// Returns the id of a claimed file by its name in the spool's directory; nil if it is not the name of a claimed file.
  package func claimedID(at name: FileName) -> JobID? {
    let components = name.bytes.split(separator: UInt8(ascii: "/"), maxSplits: 2)
    guard components.count > 1, components[0].elementsEqual(LockedSpool.claimsName) else { return nil }
    return ClaimedPath.id(ofTop: Array(components[1]))
  }

  /// The conditions for ending a claim that was made at this time.
  package func terms(_ claimedAt: Timestamp) -> DisposalTerms {
    DisposalTerms(claimedAt: claimedAt, stillness: options.settleUnseen, now: wallClock())
  }

  /// Returns the absolute path of a claimed file, even if it is not there.
  package func path(_ claim: ClaimReference) -> FileName {
    guard claim.parcel != .inPlace else { return FileName(bytes: Array((options.path + "/").utf8) + claim.name.bytes) }
    return FileName(bytes: Array((options.path + "/.waybill/").utf8) + ClaimedPath(claim.id, claim.name).path)
  }

  /// True if the spool is on a disk of this machine; false if that is not known, or the spool has disappeared.
  package var isLocal: Bool { present?.isLocal ?? false }

  /// Lets the run hand over the claimed files, because they cannot be read at this time.
  package func handOverLater() { lock.change { $0.owesClaims = true } }

  var present: LockedSpool? { lock.held }

  func setStatus(_ change: (inout Status) -> Void) { state.withLock { change(&$0.status) } }

  /// Returns the open spool, for calls about its claims. Throws ENOENT while the directory has disappeared.
  package func held() throws(FileError) -> LockedSpool {
    guard let held = present else {
      throw FileError("use", path: options.path, errno: ENOENT, advice: .spoolIsGone)
    }
    return held
  }
}

extension FileIdentity {
  /// The identity of an open file as it is now, to compare before and after it is read.
  package init(of file: OpenFile) throws(FileError) { self.init(try file.facts()) }
}

/// The directory and lock of a spool, for all instances that use it. A reload creates another ``SpoolDirectory`` from the current
/// one, which may stay in use for a while. The lock is released when the last user is gone.
package final class SpoolLock: Sendable {
  struct Contents {
    fileprivate var held: LockedSpool?
    /// True if the claimed files could not be read, so that the run has to hand them over.
    var owesClaims = false
    /// The last run's candidates; and true if that run had yet to read directories that may have been made before they were watched.
    var remains: (candidates: Candidates, scanIsLate: Bool)?
    fileprivate var users = 1
  }

  private let contents = Mutex(Contents())

  /// The directory that is held; nil while it has disappeared.
  var held: LockedSpool? {
    get { contents.withLock { $0.held } }
    set {
      // The old value is closed outside of the lock.
      let last = contents.withLock { exchange(&$0.held, with: newValue) }
      withExtendedLifetime(last) {}
    }
  }

  func change<Result: Sendable>(_ change: (inout Contents) -> Result) -> Result { contents.withLock { change(&$0) } }

  package var isUsed: Bool { contents.withLock { $0.users > 0 } }

  /// Adds a user. Returns false if there is no user left, and so no lock.
  func join() -> Bool {
    contents.withLock { contents in
      guard contents.users > 0 else { return false }
      contents.users += 1
      return true
    }
  }

  /// Removes a user. With the last one, the directory is closed before this returns.
  func release() {
    contents.withLock { contents in
      precondition(contents.users > 0, "the spool was unlocked while somebody used it")
      contents.users -= 1
      if contents.users == 0 { (contents.held, contents.remains) = (nil, nil) }
    }
  }
}

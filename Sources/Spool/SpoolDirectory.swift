import Glibc
public import Jobs
public import LinuxFiles
import Synchronization

/// A spool: finds finished files, claims them, opens them for attempts, and disposes of them.
///
/// A claim is a rename into `.waybill`, so a file itself carries its job's id and name. Scans are the truth and events
/// are hints; both lead to the same ``Candidates``. All calls but ``run(_:)`` block shortly and may come from any thread.
/// Claimed files go by the name they were dropped under, with the path of a recursive spool before it (``Claim/dropped``).
public final class SpoolDirectory: Sendable {
  /// What the spool was opened with.
  public let options: SpoolOptions

  /// How the spool is doing.
  public struct Status: Sendable, Equatable {
    /// Whether the directory is there.
    public var isPresent = true
    /// Whether inotify tells of all changes; else the directory is polled.
    public var isWatched = false
    /// Whether inotify tells of changes, if only of some.
    public var hearsEvents = false
    /// When the last scan of the whole directory ended.
    public var lastScan: Timestamp?
    /// How many scans of the whole directory have ended.
    public var scans = 0
    /// How many files are settling, or ready and waiting for room.
    public var candidates = 0
    /// How many files stand in it that have not been taken: as the last scan or count found, and events told since.
    public var untaken = 0
    /// How many files wait for `settle_open`, since somebody may have them open and nobody can tell.
    public var uncertain = 0
    /// Whether a lease can tell if a file is open for writing: one of the daemon's own user, or any with CAP_LEASE.
    public var isLeased = false
    /// Whose files a lease can tell that of.
    public var leases: Leases { isLeased ? ProcessRights.mayLeaseOthersFiles ? .all : .own : .none }
    /// What can make a file ready as things are, by the words of the control interface.
    public var readiness: [String] {
      (hearsEvents ? ["renamed", "closed"] : []) + (isLeased ? ["lease"] : []) + ["still"]
    }
  }

  /// The files of which a lease can tell whether somebody has them open for writing.
  public enum Leases: String, Sendable {
    /// Every file.
    case all
    /// Those of the daemon's own user: CAP_LEASE is missing.
    case own
    /// None: the file system has no leases.
    case none
  }

  private struct State {
    var held: HeldSpool?
    var status = Status()
  }

  private let state: Mutex<State>
  private let remains: RemainsPlace
  let wallClock: @Sendable () -> Timestamp

  /// Opens the spool: checks directory and rights, makes `.waybill`, takes its lock, and proves that a claim works.
  ///
  /// `wallClock` is what file times are compared with, and goes into the ids that are minted.
  public init(
    _ options: SpoolOptions,
    wallClock: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: WallClock.nanoseconds / 1000) }
  ) throws(SpoolProblem) {
    self.options = options
    self.wallClock = wallClock
    remains = RemainsPlace()
    let held = try HeldSpool.open(options)
    state = Mutex(State(held: held, status: Status(isLeased: held.grantsLeases)))
  }

  /// The same directory by other options, with the lock that the other one holds: for a configuration that changes while
  /// it is in use. Only one of the two may run; calls about claimed files may go to both.
  public init(_ options: SpoolOptions, continuing other: SpoolDirectory) {
    self.options = options
    wallClock = other.wallClock
    remains = other.remains
    let (held, lastScan) = other.state.withLock { ($0.held, $0.status.lastScan) }
    state = Mutex(
      State(
        held: held,
        status: Status(isPresent: held != nil, lastScan: lastScan, isLeased: held?.grantsLeases ?? false)))
  }

  /// How the spool is doing now.
  public var status: Status { state.withLock { $0.status } }

  /// Hands over each file that stands in `.waybill`, as a stream: for recovery, before ``run(_:)``.
  ///
  /// Throws `FileError` where the directory cannot be read, and what the body throws.
  public func forEachClaimed(_ body: (Claim) throws -> Void) throws {
    let listing = try ClaimListing(try held())
    while let claim = try listing.next() { try body(claim) }
  }

  /// What stands in `.waybill`, to be read a batch at a time: however many files there are, no more of them are in memory.
  /// One that is renamed meanwhile may be met twice.
  ///
  /// Throws `FileError` where the directory cannot be read.
  public func claimBatches() throws(FileError) -> ClaimBatches { try ClaimBatches(try held()) }

  /// Every file that stands in `.waybill`; prefer ``claimBatches()`` where there may be many.
  public func claimed() throws -> [Claim] {
    var claims: [Claim] = []
    try forEachClaimed { claims.append($0) }
    return claims
  }

  /// Gives files that stand in `.waybill` other ids, which the caller has seen to be free, durably: for recovery. One that
  /// cannot be renamed keeps its id; `refused` hears why.
  ///
  /// Throws `FileError` where the renames may not be on disk.
  public func adopt(
    _ claims: [(claim: Claim, id: JobID)], refused: (Claim, FileError) -> Void
  ) throws(FileError) -> [Claim] {
    guard !claims.isEmpty else { return [] }
    let held = try held()
    var result: [Claim] = []
    for (claim, id) in claims {
      do throws(FileError) {
        result.append(try held.adopt(claim, as: id))
      } catch {
        refused(claim, error)
        result.append(claim)
      }
    }
    try held.sync(result, for: .recovery)
    return result
  }

  /// Watches, scans, settles and claims until the task is cancelled; then throws `CancellationError`.
  ///
  /// One file's problem never ends it, nor does a directory that disappears: it is looked for. Besides cancelling, only
  /// what ``Handlers/admit`` throws ends it, and a `SpoolProblem` of cause `sync` after an fsync that failed, which
  /// must not be taken for done by trying again.
  ///
  /// One run at a time.
  public func run(_ intake: Handlers) async throws {
    let watch = try SpoolWatch(self, intake)
    try await withTaskExecutorPreference(watch.thread.tasks) { try await watch.run() }
  }

  /// Opens a claimed file for an attempt: read-only, no links followed. Throws EACCES with owner, mode and remedy in the
  /// words, ENOENT where it is gone.
  public func open(_ id: JobID, _ name: FileName) throws(FileError) -> OpenFile { try held().open(id, name) }

  /// The facts of a claimed file as they are now. Throws ENOENT where it is gone.
  public func identity(_ id: JobID, _ name: FileName) throws(FileError) -> FileIdentity {
    FileIdentity(try held().facts(id, name))
  }

  /// Removes a claimed file if it is still the one expected and nobody writes to it; else it is kept.
  ///
  /// A lease tells who has it open. Where nobody can be asked, it is kept until it has been still for
  /// ``SpoolOptions/settleUnseen`` since `claimedAt`, by our own clock.
  ///
  /// The removal is not fsynced: a crash may bring the file back, and the start that follows disposes of it again.
  public func dispose(_ id: JobID, _ name: FileName, expecting: FileIdentity, claimedAt: Timestamp) throws(FileError)
    -> Disposal
  {
    try held().dispose(id, name, on: terms(expecting, claimedAt))
  }

  /// Moves a claimed file into an archive on the same terms. It gets its own name,
  /// with the number of its job in it where that is taken; the path of a name with one is kept below the archive.
  ///
  /// On one file system a rename, which is not fsynced either. Across two the copy is durable before the file is removed,
  /// and calling it again finishes what a crash cut, without a second copy.
  public func archive(
    _ id: JobID, _ name: FileName, expecting: FileIdentity, claimedAt: Timestamp, job: JobNumber, in archive: Archive
  ) throws(FileError) -> Disposal {
    try held().archive(id, name, on: terms(expecting, claimedAt), job: job, in: archive)
  }

  private func terms(_ identity: FileIdentity, _ claimedAt: Timestamp) -> DisposalTerms {
    DisposalTerms(identity: identity, claimedAt: claimedAt, stillness: options.settleUnseen, now: wallClock())
  }

  /// Gives a claimed file another id, so that what was written to it after its job was registered can be a job of its
  /// own. Durable on return.
  ///
  /// - Returns: the claim under the new id, with the facts that the file has now.
  public func readmit(_ id: JobID, _ name: FileName, as newID: JobID) throws(FileError) -> Claim {
    try held().readmit(id, name, as: newID)
  }

  /// Returns when what was removed from `.waybill` so far stays removed whatever happens.
  public func settleRemovals() throws(FileError) { try held().claims.sync(.removals) }

  /// Gives a claimed file a place in the directory at `path`, under its own name, replacing nothing, durably. Calling it
  /// again after a crash finishes it. Throws EEXIST where another file has the name, ENOENT without the directory.
  public func release(_ id: JobID, _ name: FileName, to path: String) throws(FileError) {
    try held().place(id, name, into: try Directory(path: path))
  }

  /// Removes a claimed file whatever it holds, once the ledger has it released or discarded. Gone already is no error.
  public func drop(_ id: JobID, _ name: FileName) throws(FileError) { try held().drop(id, name) }

  /// The absolute path of a claimed file, whether it is there or not.
  public func path(_ id: JobID, _ name: FileName) -> FileName {
    FileName(bytes: Array((options.path + "/.waybill/").utf8) + ClaimedPlace(id, name).path)
  }

  /// Whether the spool is on a disk of this machine; false where that cannot be found out.
  public var isLocal: Bool {
    do throws(FileError) {
      return try !held().spool.fileSystem().isRemote
    } catch {
      return false
    }
  }

  /// What is held now; nil while the directory has disappeared.
  var present: HeldSpool? { state.withLock { $0.held } }

  func hold(_ held: HeldSpool?) {
    state.withLock {
      $0.held = held
      $0.status.isPresent = held != nil
      $0.status.isLeased = held?.grantsLeases ?? false
    }
  }

  func leave(_ remains: Remains) { self.remains.leave(remains) }

  func takeRemains() -> Remains? { remains.take() }

  func setStatus(_ change: (inout Status) -> Void) { state.withLock { change(&$0.status) } }

  func held() throws(FileError) -> HeldSpool {
    guard let held = present else {
      throw FileError(
        "use", path: options.path, errno: ENOENT, advice: "the spool directory has disappeared; it is looked for")
    }
    return held
  }
}

extension FileIdentity {
  /// The identity of an open file as it is now, to compare before and after it is read.
  public init(of file: OpenFile) throws(FileError) { self.init(try file.facts()) }
}

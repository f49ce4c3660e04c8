import Glibc
public import Jobs
public import Linux
import Synchronization

/// A spool: finds finished files, claims them, opens them for attempts, and disposes of them.
///
/// A claim is a rename into `.waybill`, so a file itself carries its job's id and name. Scans are the truth and events are
/// hints; both lead to the same ``Candidates``. All calls except ``run(_:)`` block for a short time and may come from any
/// thread. Claimed files are named by the name they were dropped under, with the path of a recursive spool before it
/// (``Claim/dropped``).
public final class SpoolDirectory: Sendable {
  /// The options that the spool was opened with.
  public let options: SpoolOptions
  /// This daemon, if other hosts have the spool too: one of them holds it at a time. Nil for a spool of its own.
  let daemon: SpoolHolder?

  /// The state of the spool.
  public struct Status: Sendable, Equatable {
    /// True if the directory is there.
    public var isPresent = true
    /// True if inotify reports all changes; otherwise the directory is polled.
    public var isWatched = false
    /// True if inotify reports changes, even if only some.
    public var hearsEvents = false
    /// The time at which the last scan of the whole directory ended.
    public var lastScan: Timestamp?
    /// The number of scans of the whole directory that have ended.
    public var scans = 0
    /// The number of files that are settling, or are ready and wait for room.
    public var candidates = 0
    /// The number of files in it that have not been taken, from the last scan or count and the events since.
    public var untaken = 0
    /// The number of files that wait for `settle_open`, since somebody may have them open and nobody can tell.
    public var uncertain = 0
    /// The number of files that a lease found open for writing.
    public var open = 0
    /// The number of files that must still stay unchanged for a while.
    public var settling = 0
    /// The number of files that could not be claimed.
    public var refused = 0
    /// The number of documents whose sidecar has not come.
    public var awaitingSidecar = 0
    /// The number of sidecars whose document has not come.
    public var awaitingDocument = 0
    /// The number of groups without their marker.
    public var incomplete = 0
    /// The things that the last scan of the whole directory left alone.
    public var leftAlone = LeftAlone()
    /// The daemon that holds a shared spool, or held it last; nil if it is not shared or that is not known.
    public var holder: SpoolHolder?
    /// The number of files that their size keeps in the spool, by the reason.
    var refusedSizes: [SizeLimits.Refusal: Int] = [:]
    /// True if a lease can tell if a file is open for writing: a file of the daemon's own user, or any file with CAP_LEASE.
    public var isLeased = false
    /// The files for which a lease can tell that.
    public var leases: Leases { isLeased ? ProcessRights.mayLeaseOthersFiles ? .all : .own : .none }
    /// The number of names that are not taken, by the reason; reasons without a name are absent.
    public var waiting: [String: Int] {
      let counts: [(FileStanding.Reason, Int)] = [
        (.ready, untaken - settling - open - uncertain - refused - awaitingSidecar - awaitingDocument - incomplete),
        (.settling, settling), (.open, open), (.uncertain, uncertain), (.refused, refused),
        (.awaitingSidecar, awaitingSidecar), (.awaitingDocument, awaitingDocument), (.incomplete, incomplete),
        (.looseFile, leftAlone.looseFiles), (.ignored, leftAlone.ignored), (.directory, leftAlone.folders),
        (.notAFile, leftAlone.others),
        (.unlisted, leftAlone.unlisted), (.empty, refusedSizes[.empty] ?? 0),
        (.tooSmall, refusedSizes[.tooSmall] ?? 0), (.tooLarge, refusedSizes[.tooLarge] ?? 0),
      ]
      return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 }.map { ($0.0.rawValue, $0.1) })
    }
    /// The facts that can make a file ready at present, in the words of the control interface.
    public var readiness: [String] {
      (hearsEvents ? ["renamed", "closed"] : []) + (isLeased ? ["lease"] : []) + ["still"]
    }
  }

  /// The files for which a lease can tell whether somebody has them open for writing.
  public enum Leases: String, Sendable {
    /// Every file.
    case all
    /// Those of the daemon's own user: CAP_LEASE is missing.
    case own
    /// None: the file system has no leases.
    case none
  }

  private struct Contents {
    var status = Status()
    /// The present run.
    var watch: SpoolWatch?
  }

  private let state: Mutex<Contents>
  private let remains: RemainsPlace
  /// Its lock, which others have too that were made of it.
  public let holding: SpoolHold
  /// The reason why it could not be used when this was made; nil if it could. The run tries again, and tells.
  public let refusal: SpoolProblem?
  let wallClock: @Sendable () -> Timestamp
  /// The machine that its run is on.
  let machine: Machine

  /// Opens the spool: checks directory and rights, makes `.waybill`, takes its lock, and proves that a claim works.
  ///
  /// A shared one is taken later, by ``run(_:)``. File times are compared with `wallClock`. It also gives the time in the ids that are made.
  public init(
    _ options: SpoolOptions, by daemon: SpoolHolder? = nil,
    wallClock: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: WallClock.nanoseconds / 1000) },
    on machine: Machine = .system
  ) throws(SpoolProblem) {
    self.options = options
    self.daemon = options.isShared ? daemon : nil
    self.machine = machine
    self.wallClock = wallClock
    remains = RemainsPlace()
    holding = SpoolHold()
    refusal = nil
    guard self.daemon == nil else {
      // It is taken, or waited for, by the run: whoever holds it, the daemon starts.
      try HeldSpool.examine(options)
      state = Mutex(Contents(status: Status(isPresent: false, holder: HeldSpool.holder(options))))
      return
    }
    let held = try HeldSpool.open(options)
    holding.held = held
    state = Mutex(Contents(status: Status(isLeased: held.grantsLeases)))
  }

  /// A spool that cannot be used now, for the given reason: ``run(_:)`` looks for it as it does for one that has disappeared.
  public init(
    _ options: SpoolOptions, by daemon: SpoolHolder? = nil, refusal: SpoolProblem,
    wallClock: @escaping @Sendable () -> Timestamp = { Timestamp(microseconds: WallClock.nanoseconds / 1000) },
    on machine: Machine = .system
  ) {
    self.options = options
    self.daemon = options.isShared ? daemon : nil
    self.machine = machine
    self.wallClock = wallClock
    self.refusal = refusal
    remains = RemainsPlace()
    holding = SpoolHold()
    state = Mutex(Contents(status: Status(isPresent: false)))
  }

  /// The same directory with other options, and with the lock that the other one holds: for a configuration that changes while
  /// it is in use. Only one of the two may run; calls about claimed files may go to both. If it is lost or found again, both
  /// know.
  public init(_ options: SpoolOptions, continuing other: SpoolDirectory) {
    self.options = options
    daemon = other.daemon
    wallClock = other.wallClock
    machine = other.machine
    remains = other.remains
    holding = other.holding
    _ = holding.join()  // the other one is there
    refusal = nil
    let held = holding.held
    let status = other.status
    state = Mutex(
      Contents(
        status: Status(
          isPresent: held != nil, lastScan: status.lastScan, holder: status.holder,
          isLeased: held?.grantsLeases ?? false)))
  }

  /// The directory of a hold that somebody else still uses, or is about to give back: a spool that leaves the configuration and comes
  /// back while requests of it are in flight. Nil if nobody has it any more, and it is to be opened again.
  public init?(
    _ options: SpoolOptions, joining hold: SpoolHold, wallClock: @escaping @Sendable () -> Timestamp,
    on machine: Machine
  ) {
    guard hold.join() else { return nil }
    self.options = options
    daemon = nil
    self.wallClock = wallClock
    self.machine = machine
    remains = RemainsPlace()
    holding = hold
    refusal = nil
    let held = hold.held
    state = Mutex(Contents(status: Status(isPresent: held != nil, isLeased: held?.grantsLeases ?? false)))
  }

  deinit { holding.release() }

  /// The present state of the spool.
  public var status: Status { state.withLock { $0.status } }

  /// Passes each file in `.waybill` to `body`, as a stream: for recovery, before ``run(_:)``.
  ///
  /// Throws `FileError` if the directory cannot be read, and whatever the body throws.
  public func forEachClaimed(_ body: (Claim) throws -> Void) throws {
    let listing = try ClaimListing(try held(), marker: options.group)
    while let claim = try listing.next() { try body(claim) }
  }

  /// The files in `.waybill`, to be read in batches: only one batch is in memory, however many files there are. A file that is
  /// renamed meanwhile may come twice.
  ///
  /// Throws `FileError` if the directory cannot be read.
  public func claimBatches() throws(FileError) -> ClaimBatches { try ClaimBatches(try held(), marker: options.group) }

  /// Returns all files in `.waybill`; prefer ``claimBatches()`` if there may be many.
  public func claimed() throws -> [Claim] {
    var claims: [Claim] = []
    try forEachClaimed { claims.append($0) }
    return claims
  }

  /// Durably gives files in `.waybill` other ids, for recovery. The caller has checked that the ids are free. A file that
  /// cannot be renamed keeps its id; `refused` gets the reason. One that cannot be looked at afterwards is left out: the run finds it.
  ///
  /// Throws `FileError` if the renames may not be on disk.
  public func adopt(
    _ claims: [(claim: Claim, id: JobID)], refused: (Claim, FileError) -> Void
  ) throws(FileError) -> [Claim] {
    guard !claims.isEmpty else { return [] }
    let held = try held()
    var (result, moved): ([Claim], [Claim]) = ([], [])
    for (claim, id) in claims {
      do throws(FileError) {
        switch try held.adopt(claim, as: id) {
        case .done(let adopted):
          result.append(adopted)
          moved.append(claim)
        case .refused: result.append(claim)
        case .unseen: continue
        }
      } catch {
        refused(claim, error)
        result.append(claim)
      }
    }
    try held.sync(result, for: .recovery)
    try held.forgetSidecars(leftBy: moved)
    return result
  }

  /// Watches, scans, settles and claims until the task is cancelled; then throws `CancellationError`.
  ///
  /// A problem with one file never ends it. If the directory disappears, the run looks for it. Besides cancelling, only two
  /// things end it: an error from ``Handlers/admit``, and a `SpoolProblem` of cause `sync` after a failed fsync. Trying a
  /// failed fsync again would not prove that the data is on disk.
  ///
  /// Only one run at a time.
  public func run(_ intake: any SpoolIntake) async throws {
    let watch = try SpoolWatch(self, intake)
    state.withLock { $0.watch = watch }
    defer { state.withLock { $0.watch = nil } }
    try await withTaskExecutorPreference(watch.thread.tasks) { try await watch.run() }
  }

  /// Returns why the file of this name, with its path from the spool, is not or not yet taken. Nil if the spool does not run.
  ///
  /// It is asked on the spool's own thread, so the answer fits what the spool does next.
  public func standing(of name: FileName) async -> FileStanding? {
    await state.withLock { $0.watch }?.standing(of: name)
  }

  /// Returns the id that a name below the spool belongs to, if it is the name of a claimed file.
  public func claimedID(at name: FileName) -> JobID? {
    let parts = name.bytes.split(separator: UInt8(ascii: "/"), maxSplits: 2)
    guard parts.count > 1, parts[0].elementsEqual(HeldSpool.claimsName) else { return nil }
    return ClaimedPlace.parse(Array(parts[1]))?.id ?? ClaimedPlace.id(parts[1])
  }

  /// Opens a claimed file for an attempt: read-only, and it follows no links. Throws EACCES with owner, mode and remedy in the
  /// words, or ENOENT if the file is gone.
  public func open(_ id: JobID, _ name: FileName) throws(FileError) -> OpenFile { try held().open(id, name) }

  /// Opens a claimed file for an attempt that is followed by its disposal if all goes well; otherwise ``letGo(_:)`` is due. Throws
  /// as ``open(_:_:)`` does.
  public func openToSend(_ id: JobID, _ name: FileName) throws(FileError) -> OpenFile {
    try held().openToSend(id, name)
  }

  /// Closes the file of a job that is not disposed of soon, once nobody reads it.
  public func letGo(_ id: JobID) { _ = present?.kept.remove(id) }

  /// Returns the present facts of a claimed file. Throws ENOENT if it is gone.
  public func identity(_ id: JobID, _ name: FileName) throws(FileError) -> FileIdentity {
    FileIdentity(try held().facts(id, name))
  }

  /// Returns the absolute path of a claimed file, even if it is not there.
  public func path(_ id: JobID, _ name: FileName) -> FileName {
    FileName(bytes: Array((options.path + "/.waybill/").utf8) + ClaimedPlace(id, name).path)
  }

  /// True if the spool is on a disk of this machine; false if that is not known, or the spool is not held.
  public var isLocal: Bool { present?.isLocal ?? false }

  /// Has the run hand over what is claimed, because it could not be read now.
  ///
  /// - Parameter whole: true if it is not handed over before every file in it can be read.
  public func handOverLater(whole: Bool = false) {
    holding.owesClaims = true
    if whole { holding.mustReadAll = true }
  }

  /// True if the run has to hand over what is claimed, although the spool was never lost.
  var owesClaims: Bool { holding.owesClaims }

  /// Notes that all that is claimed was handed over.
  func handedOver() {
    holding.owesClaims = false
    holding.mustReadAll = false
  }

  /// The spool that is held now; nil while the directory has disappeared, or another host holds a shared one.
  var present: HeldSpool? {
    guard let held = holding.held else { return nil }
    return held.tenure?.loss == nil ? held : nil
  }

  /// True if the spool was held and its hold is lost, which ``hold(_:)`` was not told yet.
  var hasLostHold: Bool { holding.held?.tenure?.loss != nil }

  func hold(_ held: HeldSpool?) {
    holding.held = held
    state.withLock {
      $0.status.isPresent = held != nil
      if let tenure = held?.tenure { $0.status.holder = tenure.mine }
      $0.status.isLeased = held?.grantsLeases ?? false
    }
  }

  func store(_ remains: Remains) { self.remains.store(remains) }

  func removeRemains() -> Remains? { remains.remove() }

  func setStatus(_ change: (inout Status) -> Void) { state.withLock { change(&$0.status) } }

  func held() throws(FileError) -> HeldSpool {
    guard let held = present else {
      if isShared {
        throw FileError("use", path: options.path, errno: ENOLCK, advice: "another host holds the spool")
      }
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

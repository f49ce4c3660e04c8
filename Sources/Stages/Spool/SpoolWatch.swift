import Glibc
import Jobs
import Linux
import Messages
import Synchronization

/// A running spool, from an event to a claim that is handed over ("The way of one small file" in ARCHITECTURE.md).
///
/// Events are hints, which the kernel may drop. The scan of the whole spool is the truth.
///
/// The spool's own thread makes all calls and sleeps in poll(2). It wakes for events, for the earliest deadline (``arm()``) and for
/// ``run()``, which calls ``turn(limit:)`` repeatedly while there is work. Events are read even while the run waits for room or for the
/// ledger, at the latest after ``longestSilence``.
///
/// A name that cannot be read or renamed is reported once, and is tried again at the next scan (``refusals``). A failed fsync of claims and
/// an error of the intake are fatal: ``run()`` throws, and the daemon ends. The claims stay in `.waybill`, where the next start finds them.
actor SpoolWatch: PollThreadActor {
  /// The maximum number of claims per batch. They share one fsync.
  static let batch = 256
  /// The number of names to read before events are read again.
  static let scanSlice = 2048
  /// The maximum number of ready names before a scan stops reading. Further files wait in the directory, not in memory.
  static let mostScanned = 2 * scanSlice
  /// The number of directories to open before events are read again.
  static let folderSlice = 8
  /// The maximum time that events stay unread. It is shorter than the time needed to fill the kernel's queue of 16,384 events
  /// (inotify(7)).
  static let longestSilence = Duration.milliseconds(100)
  /// The maximum number of new directories that wait to be read. If there are more, the whole spool is read instead.
  static let mostNewFolders = 4096
  /// The longest time until files are looked for that did not fit into the table.
  static let longestPauseWhenFull = Duration.seconds(30)

  nonisolated let thread: PollThread
  nonisolated let options: SpoolOptions
  nonisolated let spool: SpoolDirectory
  nonisolated var machine: Machine { spool.machine }
  nonisolated var now: ContinuousClock.Instant { spool.machine.now }
  nonisolated let intake: any SpoolIntake
  private nonisolated let isCancelled = Atomic(false)

  var candidates: Candidates
  var inotify: Inotify?
  /// Reports mounts and unmounts; nil if that is not possible, so that only scans detect them.
  private let mounts: MountTable?
  var tree = WatchTree()
  /// True if some directories could not be watched, so that all are polled as well.
  var isPartlyWatched = false
  /// True if the scan in progress could not watch some.
  var scanLacksWatches = false
  /// True if the file times may come from another machine's clock.
  var isRemote = false
  var walk: FolderWalk?
  var scanIsWanted = false
  var nextScan: ContinuousClock.Instant
  /// The number of scans of the whole spool that were begun.
  var scans = 0
  /// The new directories to read soon, one at a time by ``newWalk``. If a directory was made there, not moved there, files in it may have
  /// been opened before the watch.
  var newFolders: [(folder: Folder, isMade: Bool)] = []
  var newWalk: FolderWalk?
  /// True if the next scan of the whole spool will find directories that were created before they were watched.
  var scanIsLate = false
  /// The last directory that was opened, so that it is opened only once for a batch of files in it.
  var opened: (folder: Folder, directory: Directory)?
  var problems: ProblemReports
  var untaken = 0
  /// The number of files that the current scan has found but could neither remember nor claim.
  var passedOver = 0
  /// The counts of names that the last scan of the whole spool skipped, and those of the current scan so far.
  var leftAlone: [FileStatus.Reason: Int] = [:]
  var leftAloneSoFar: [FileStatus.Reason: Int] = [:]
  /// The times at which the last scan of the whole spool began, and the one before it.
  var scanBegan: ContinuousClock.Instant
  var earlierScanBegan: ContinuousClock.Instant
  /// The time that the last scan of the whole spool took.
  var scanTook = Duration.zero
  var groups = GroupCandidates()
  var strays: Strays
  /// True if a sidecar may be claimed whose document could not be claimed.
  var mustReturnSidecars = false
  var waiting = WaitingDocuments()
  /// The sidecars that became ready in this turn and have no document in the spool.
  var lateSidecars: Set<FileName> = []
  var refusals = Refusals()
  var kept = KeptWatch()
  let wanted: WantedNames
  var random: Machine.Chance
  private var waiter: CheckedContinuation<Void, Never>?
  private(set) var turns = 0
  /// True while claims are handed over. Then events wait in the kernel's queue and do not wake the thread.
  private var isHandingOver = false
  private(set) var isAwaitingRoom = false

  init(_ spool: SpoolDirectory, _ intake: any SpoolIntake) throws(SpoolProblem) {
    do throws(FileError) {
      thread = try PollThread(name: "spool " + spool.options.name, on: spool.machine)
    } catch {
      throw SpoolProblem(spool.options, .watch, .otherError(why: "\(error)"), remedy: .raiseLimits, errno: error.errno)
    }
    // Ignored: without /proc, only scans detect mounts.
    mounts = try? MountTable()
    self.spool = spool
    self.intake = intake
    options = spool.options
    let begin = spool.machine.now
    (nextScan, scanBegan, earlierScanBegan) = (begin, begin, begin)
    strays = Strays(nextTry: begin + Strays.slowInterval)
    random = spool.machine.random
    candidates = Candidates(options)
    wanted = WantedNames(options)
    problems = ProblemReports(intake)
  }

  /// Runs until the task is cancelled, `admit` throws or an fsync fails.
  func run() async throws {
    thread.onWake { [weak self] in self?.assumeIsolated { $0.woke() } }
    thread.poll(urgent: mounts?.descriptor.number)
    defer {
      leaveToSuccessor()
      thread.poll(urgent: nil)
      problems.forget()
    }
    begin()
    try await withTaskCancellationHandler {
      while true {
        await untilThereIsWork()
        try Task.checkCancellation()
        guard try await openIfLost() else { continue }
        if options.keepsFiles {
          try await attendKept()
          guard spool.present != nil else { continue }
        }
        let room = await awaitRoom()
        try Task.checkCancellation()
        guard room > 0, spool.present != nil else { continue }
        let limit = min(room, Self.batch)
        let claims = try await turn(limit: limit)
        if !claims.isEmpty { try await handOver(claims) }
        if !lateSidecars.isEmpty { try await joinLateSidecars() }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .releasing)
      thread.wake()
    }
  }

  /// Waits until files may be claimed, and returns their maximum number; 0 if the spool is lost, so that the run looks for it.
  private func awaitRoom() async -> Int {
    isAwaitingRoom = true
    defer { isAwaitingRoom = false }
    arm()
    return await intake.room()
  }

  /// Hands claims to the intake. Events that arrive meanwhile are read together afterwards, instead of one wake-up for each. During a long
  /// handover, they are read at intervals short enough for the kernel's queue.
  private func handOver(_ claims: [Claim]) async throws {
    isHandingOver = true
    listen()
    arm()
    defer {
      isHandingOver = false
      listen()
    }
    let claims = try await moveToWantedIDs(claims)
    guard !claims.isEmpty else { return }
    // On this thread, while the ledger commits.
    async let synced: Void = makeDurable { () throws(FileError) in try spool.present?.syncSources(of: claims) }
    try await intake.admit(claims)
    try await synced
  }

  /// One round of work: handles due work and a slice of the scan, claims ready files, and makes the claims durable.
  private func turn(limit: Int) async throws -> [Claim] {
    turns &+= 1
    attend()
    // A scan stops reading as soon as one batch is ready, except in every fourth turn.
    if turns % 4 == 0 { advanceScan(until: Self.mostScanned) } else { advanceScan(until: limit) }
    var prepared: [Ready]?
    if options.keepsFiles {
      // The answers about kept files may take a while.
      publish()
      arm()
      prepared = try await newFiles(limit)
    }
    let claims = try claim(limit, prepared)
    publish()
    arm()
    return claims
  }

  /// Called on the spool's thread each time it wakes up.
  func woke() {
    attend()
    publish()
    if isAwaitingRoom, spool.present == nil { intake.stopWaiting() }
    arm()
    if mustRun {
      waiter?.resume()
      waiter = nil
    }
  }

  private func attend() {
    opened = nil
    if thread.takeUrgent() { heardOfMounts() }
    let known = candidates.count
    readEvents()
    candidates.settleDue(now: now, look: readFacts)
    countUntaken(candidates.count - known)
    checkGroups()
    if mustReadAhead { advanceScan(until: Self.mostScanned) }
  }

  /// Counts files that came into the table of candidates, or with a negative number left it.
  func countUntaken(_ difference: Int) { untaken = max(0, untaken + difference) }

  func report(_ cause: SpoolProblem.Cause, _ message: Message, remedy: Message?, errno: Int32? = nil) {
    problems.report(SpoolProblem(options, cause, message, remedy: remedy, errno: errno))
  }

  func report(_ cause: SpoolProblem.Cause, _ error: FileError, remedy: Message?) {
    problems.report(SpoolProblem(options, cause, error, remedy: remedy))
  }

  private var hasWork: Bool {
    if spool.present == nil { return nextScan <= now }
    // Nothing is claimed before the files that are claimed already are handed over.
    if strays.areAll { return mustSeekStrays }
    return candidates.readyCount > 0 || groups.readyCount > 0 || mustScan || mustSeekStrays || kept.hasWork
  }

  /// True if there is something to read, in a scan or in new directories.
  var mustScan: Bool {
    walk != nil || newWalk != nil || !newFolders.isEmpty || scanIsWanted || nextScan <= now
  }

  /// True if names are to be read although there is no room for claims, so that the status counts them: as many as a scan keeps ready.
  /// False if files stay: a medium that is read cannot be unmounted.
  private var mustReadAhead: Bool {
    isAwaitingRoom && spool.present != nil && !options.keepsFiles && mustScan
      && candidates.readyCount < Self.mostScanned
  }

  private var mustRun: Bool { hasWork || isCancelled.load(ordering: .acquiring) }

  private func untilThereIsWork() async {
    arm()
    if mustRun { return }
    await withCheckedContinuation { continuation in
      // The thread may have woken between the check above and this point. Then `waiter` was still nil, and nobody was resumed.
      if mustRun { continuation.resume() } else { waiter = continuation }
    }
  }

  /// Sets the alarm to the time of the next work, after planning a scan for files that did not fit. A rescan or a handover of claimed
  /// files that is due already gets no alarm: the run does it, and while the run waits, the alarm would fire again and again.
  func arm() {
    // The run may sleep now, and a medium with an open directory cannot be unmounted.
    if options.keepsFiles { opened = nil }
    if candidates.wasFull, walk == nil {
      // Files that did not fit will be old enough by then, and are ready at once.
      let pause = min(scanTook * Self.leastQuiet, Self.longestPauseWhenFull)
      nextScan = min(nextScan, now + max(options.settleUnseen, .seconds(1), pause))
      candidates.wasFull = false
    }
    let rescan = nextScan > now ? nextScan : nil
    let nextSearch = strays.nextTry > now ? strays.nextTry : nil
    // The wait for room may have begun just after ``woke()`` was to end it.
    let mustLook = isHandingOver || isAwaitingRoom && spool.present == nil
    let reading = mustReadAhead ? now : mustLook ? now + Self.longestSilence : nil
    let wakeUps = [candidates.nextDeadline, groups.nextDeadline, rescan, reading, nextSearch]
    thread.setAlarm(wakeUps.compactMap { $0 }.min())
  }

  /// Lets events wake the thread, except while claims are handed over.
  func listen() { thread.poll(isHandingOver ? nil : inotify?.descriptor.number) }

  func publish() {
    let isOfGroups = options.group != nil
    let count = isOfGroups ? groups.count : candidates.count
    let untaken = isOfGroups ? count : max(count, untaken)
    var waiting = isOfGroups ? groups.counts : candidates.counts
    waiting[.ready] = nil
    if isOfGroups {
      waiting[.settling, default: 0] += waiting.removeValue(forKey: .unseen) ?? 0
    } else {
      waiting[.refused] = refusals.byName.count
    }
    let ready = untaken - waiting.values.reduce(0, +)
    let names = leftAlone.merging(waiting, uniquingKeysWith: +).merging([.ready: ready], uniquingKeysWith: +)
    let (isWatched, isWhollyWatched) = (inotify != nil, inotify != nil && !isPartlyWatched)
    spool.setStatus {
      $0.candidates = count
      $0.untaken = untaken
      $0.names = names
      $0.hearsEvents = isWatched
      $0.isWatched = isWhollyWatched
    }
  }
}

import Glibc
import Jobs
import LinuxFiles
import Synchronization

/// A spool while it runs: an actor on a thread of its own, which sleeps in poll(2) and makes the blocking calls.
///
/// The thread wakes for events, deadlines and rescans and keeps the candidates; the run takes batches of them whenever
/// there is room. So events are read while the run waits for room, and the kernel's queue does not overflow.
actor SpoolWatch: PollThreadActor {
  /// Claims per batch, whose fsync they share.
  static let batch = 256
  /// Names read in one go before events are looked at again.
  static let scanSlice = 2048
  /// How many names may be ready before a scan reads no further: beyond that they wait as files, not in memory.
  static let mostScanned = 2 * scanSlice
  /// Directories opened in one go.
  static let folderSlice = 8
  /// How long events may wait unread: less than it takes to fill the kernel's queue of 16,384 (inotify(7)).
  static let longestSilence = Duration.milliseconds(100)

  nonisolated let thread: PollThread
  nonisolated let options: SpoolOptions
  nonisolated let spool: SpoolDirectory
  nonisolated let intake: SpoolDirectory.Handlers
  private nonisolated let isCancelled = Atomic(false)

  var candidates: Candidates
  var inotify: Inotify?
  /// Says when something is mounted or unmounted; nil where that is not to be had, and then scans find out.
  private let mounts: MountTable?
  var tree = WatchTree()
  /// Whether some directories could not be watched, so that all are polled besides.
  var isPartlyWatched = false
  /// The same for the scan that is under way.
  var scanLacksWatches = false
  /// Whether another machine's clock may be behind the times of files.
  var isRemote = false
  var walk: FolderWalk?
  var scanIsWanted = false
  var nextScan = ContinuousClock.now
  /// How many scans of the whole spool were begun.
  var scans = 0
  /// Directories that are new, to be read soon; and the walk that reads one.
  var newFolders: [NewFolder] = []
  var newWalk: FolderWalk?
  /// Whether the next scan of the whole spool meets directories that were made before they were watched.
  var scanIsLate = false
  var emptied = EmptiedFolders()
  /// The directory that was looked into last, so that a batch of files in it needs it once.
  var opened: (folder: Folder, directory: Directory)?
  /// Whether a lost spool is back, and what stands claimed in it has not been handed over yet.
  var isBack = false
  var problems: ProblemReports
  /// How many files stand in the spool and are not taken.
  var untaken = UntakenCount()
  let wanted: WantedNames
  let mayLeaseOthersFiles = ProcessRights.mayLeaseOthersFiles
  /// How long a file may settle before it is mentioned.
  let patience: Duration
  private var waiter: CheckedContinuation<Void, Never>?
  private var turns = 0
  /// Whether claims are being handed over: then events wait in the kernel's queue, and none of them wakes the thread.
  private var isHandingOver = false

  init(
    _ spool: SpoolDirectory, _ intake: SpoolDirectory.Handlers, patience: Duration = .seconds(3600)
  ) throws(SpoolProblem) {
    do throws(FileError) {
      thread = try PollThread(name: "spool " + spool.options.name)
    } catch {
      throw SpoolProblem(
        spool.options, .watch, error.words, remedy: "raise the limits of threads and open files", errno: error.errno)
    }
    // Without /proc scans find out.
    mounts = try? MountTable()
    self.spool = spool
    self.intake = intake
    self.patience = patience
    options = spool.options
    candidates = Candidates(SettlingTimes(options))
    wanted = WantedNames(options)
    problems = ProblemReports(intake.problem, end: intake.problemEnded)
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
        if isBack { try await handOverWhatIsBack() }
        countUntaken()
        arm()
        let room = await intake.room()
        try Task.checkCancellation()
        guard room > 0 else { continue }
        let claims = try turn(limit: min(room, Self.batch))
        if !claims.isEmpty { try await handOver(claims) }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .releasing)
      thread.wake()
    }
  }

  /// Has claims admitted. What happens meanwhile is read in one go afterwards, rather than at a wake-up for each event; if it
  /// takes long, at intervals that the kernel's queue bears.
  private func handOver(_ claims: [Claim]) async throws {
    isHandingOver = true
    listen()
    arm()
    defer {
      isHandingOver = false
      listen()
    }
    try await intake.admit(try await adopted(claims))
  }

  /// One round of work: reads events and a slice of the scan, claims what is ready, makes the claims durable.
  private func turn(limit: Int) throws(SpoolProblem) -> [Claim] {
    turns &+= 1
    attend()
    // The scan gives way to what is ready, but not for ever.
    if turns % 4 == 0 { advanceScan(until: Self.mostScanned) } else { advanceScan(until: limit) }
    let claims = try claim(limit)
    publish()
    arm()
    return claims
  }

  /// On the thread, whenever it has woken.
  private func woke() {
    attend()
    publish()
    arm()
    if hasWork || isCancelled.load(ordering: .acquiring) {
      waiter?.resume()
      waiter = nil
    }
  }

  /// Sees to what has happened and to what is due.
  private func attend() {
    opened = nil
    if thread.takeUrgent() { heardOfMounts() }
    let known = candidates.count
    readEvents()
    candidates.lookAgain(now: .now, look: look)
    untaken.add(candidates.count - known)
    removeEmptied()
    countUntaken()
  }

  private var hasWork: Bool {
    candidates.readyCount > 0 || walk != nil || newWalk != nil || !newFolders.isEmpty || scanIsWanted
      || nextScan <= .now || isBack
  }

  private func untilThereIsWork() async {
    arm()
    if hasWork || isCancelled.load(ordering: .acquiring) { return }
    intake.resting()
    await withCheckedContinuation { waiter = $0 }
  }

  /// Sets the alarm to the next moment that something is due. A rescan that is due already is the run's business: to
  /// ring for it again and again while the run waits for room would spin.
  private func arm() {
    if candidates.wasFull, walk == nil {
      // What found no room has aged by then, and is taken at once.
      nextScan = min(nextScan, .now + max(options.settleUnseen, .seconds(1)))
      candidates.wasFull = false
    }
    let rescan = nextScan > .now ? nextScan : nil
    let reading = isHandingOver ? ContinuousClock.now + Self.longestSilence : nil
    let wakeUps = [candidates.nextDeadline, emptied.nextDeadline, rescan, reading, untaken.nextCount]
    thread.setAlarm(wakeUps.compactMap { $0 }.min())
  }

  /// Has the thread wake for events, or not.
  func listen() { thread.poll(isHandingOver ? nil : inotify?.descriptor.number) }

  private func publish() {
    let (count, uncertain) = (candidates.count, candidates.uncertainCount)
    let untaken = max(count, untaken.standing)
    let (isWatched, isWhollyWatched) = (inotify != nil, inotify != nil && !isPartlyWatched)
    spool.setStatus {
      $0.candidates = count
      $0.uncertain = uncertain
      $0.untaken = untaken
      $0.hearsEvents = isWatched
      $0.isWatched = isWhollyWatched
    }
  }
}

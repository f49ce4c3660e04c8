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
  /// How long events may wait unread: less than it takes to fill the kernel's queue of 16,384 (inotify(7)).
  static let longestSilence = Duration.milliseconds(100)

  nonisolated let thread: PollThread
  nonisolated let options: SpoolOptions
  nonisolated let spool: SpoolDirectory
  nonisolated let intake: SpoolDirectory.Intake
  private nonisolated let isCancelled = Atomic(false)

  var candidates: Candidates
  var inotify: Inotify?
  var scan: DirectoryListing?
  var scanIsWanted = false
  var nextScan = ContinuousClock.now
  var problems: ProblemReports
  let ignored: [ShellPattern]
  let mayLeaseOthersFiles = ProcessRights.mayLeaseOthersFiles
  /// How long a file may settle before it is mentioned.
  let patience: Duration
  private var waiter: CheckedContinuation<Void, Never>?
  private var turns = 0
  /// Whether claims are being handed over: then events wait in the kernel's queue, and none of them wakes the thread.
  private var isHandingOver = false

  init(
    _ spool: SpoolDirectory, _ intake: SpoolDirectory.Intake, patience: Duration = .seconds(3600)
  ) throws(SpoolProblem) {
    do throws(FileError) {
      thread = try PollThread(name: "spool " + spool.options.name)
    } catch {
      throw SpoolProblem(
        spool.options, .watch, error.words, remedy: "raise the limits of threads and open files", errno: error.errno)
    }
    self.spool = spool
    self.intake = intake
    self.patience = patience
    options = spool.options
    candidates = Candidates(settle: options.settle, settleUnseen: options.settleUnseen)
    ignored = options.ignore.map { ShellPattern($0) }
    problems = ProblemReports(intake.problem)
  }

  /// Runs until the task is cancelled, `admit` throws or an fsync fails.
  func run() async throws {
    thread.onWake { [weak self] in self?.assumeIsolated { $0.woke() } }
    defer { stopWatching() }
    begin()
    try await withTaskCancellationHandler {
      while true {
        await untilThereIsWork()
        try Task.checkCancellation()
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
    readEvents()
    lookAgain()
    // The scan gives way to what is ready, but not for ever.
    if candidates.readyCount < limit || turns % 4 == 0 { advanceScan(until: limit) }
    let claims = try claim(limit)
    publish()
    arm()
    return claims
  }

  /// On the thread, whenever it has woken.
  private func woke() {
    readEvents()
    lookAgain()
    publish()
    arm()
    if hasWork || isCancelled.load(ordering: .acquiring) {
      waiter?.resume()
      waiter = nil
    }
  }

  private var hasWork: Bool {
    candidates.readyCount > 0 || scan != nil || scanIsWanted || nextScan <= .now
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
    if candidates.wasFull, scan == nil {
      // What found no room has aged by then, and is taken at once.
      nextScan = min(nextScan, .now + max(options.settleUnseen, .seconds(1)))
      candidates.wasFull = false
    }
    let rescan = nextScan > .now ? nextScan : nil
    let reading = isHandingOver ? ContinuousClock.now + Self.longestSilence : nil
    thread.setAlarm([candidates.nextDeadline, rescan, reading].compactMap { $0 }.min())
  }

  /// Has the thread wake for events, or not.
  func listen() { thread.poll(isHandingOver ? nil : inotify?.descriptor.number) }

  private func readEvents() {
    guard let inotify else { return }
    do throws(FileError) {
      // Bounded, so that a flood does not keep the run from claiming.
      for _ in 0..<64 {
        let events = try inotify.read()
        if events.isEmpty { return }
        let now = ContinuousClock.now
        for event in events { heard(event, now) }
        if self.inotify == nil { return }
      }
    } catch {
      problems.tell(
        SpoolProblem(options, .watch, error.words, remedy: "the directory is polled meanwhile", errno: error.errno))
      stopWatching()
      scanIsWanted = true
    }
  }

  private func heard(_ event: Inotify.Event, _ now: ContinuousClock.Instant) {
    if event.happening.contains(.overflow) {
      problems.tell(
        SpoolProblem(
          options, .overflow, "more happened in \(options.path) than the kernel's queue holds; it is read anew",
          remedy: "if this is frequent, raise fs.inotify.max_queued_events"))
      candidates.distrust(now: now, look: look)
      scanIsWanted = true
    } else if !event.happening.isDisjoint(with: .lost) || event.name == HeldSpool.claimsName {
      if !isStillThere() { lose() }
    } else if isWanted(event.name) {
      candidates.heard(event.happening, FileName(bytes: event.name), now: now, look: look)
    }
  }

  private func lookAgain() { candidates.lookAgain(now: .now, look: look, writers: writers) }

  /// Whether a name is to be taken at all.
  func isWanted(_ name: [UInt8]) -> Bool {
    guard let first = name.first, first != UInt8(ascii: ".") else { return false }
    return !ignored.contains { $0.matches(name) }
  }

  /// The facts of a regular file in the spool; nil for whatever else, and for what went meanwhile.
  func look(_ name: FileName) -> FileFacts? {
    do throws(FileError) {
      let facts = try spool.held().spool.facts(of: name.bytes)
      return facts.kind == .regular ? facts : nil
    } catch {
      if error.errno != ENOENT {
        problems.tell(
          SpoolProblem(
            options, .scan, error.words, remedy: "see that user \(ProcessRights.user) may enter \(options.path)",
            errno: error.errno))
      }
      return nil
    }
  }

  /// Whether a file in the spool is open for writing, where a lease can tell: one of ours, or any with CAP_LEASE.
  func writers(_ name: FileName, _ facts: FileFacts) -> Writers {
    guard mayLeaseOthersFiles || facts.owner == ProcessRights.user, let held = spool.present else { return .unknown }
    return held.spool.writers(of: name.bytes, whose: facts)
  }

  private func publish() {
    let (count, isWatched) = (candidates.count, inotify != nil)
    spool.setStatus {
      $0.candidates = count
      $0.isWatched = isWatched
    }
  }
}

import HTTPTransfer
import Jobs
import Ledger
import Spool
import SystemdLink

#if canImport(Glibc)
  import Glibc
#endif

/// All parts of a running daemon, put together once at start. ``run(_:)`` is its only lifetime: what it starts, it ends.
struct House: Sendable {
  let clock: Clock
  let startedAt: Timestamp
  let grace: Duration
  let journal: JournalReader
  let notifier: ServiceNotifier
  let ledger: JobLedger
  let pipeline: Pipeline
  let stages: Stages
  let disposals: Disposals
  let history: History
  let activity: Activity
  let room: IntakeRoom
  let admissions: Admissions
  let transport: Transport
  let status: StatusLine
  let trouble: LedgerTrouble
  let spoolTrouble: SpoolTrouble
  let keys: KeyWatch
  let tail: EventTail
  let socket: ListeningSocket

  /// Which of the daemon's tasks has come to its end.
  private enum End { case pipeline, other }

  /// Runs until a signal asks for the end, then lets requests in flight end within `grace`.
  ///
  /// - Throws: what makes going on impossible: the ledger's error, a spool's failed fsync, the control socket's.
  func run(_ signals: AsyncStream<Int32>) async throws {
    defer {
      transport.shutdown()
      journal.flush()
    }
    try await recovery.run()
    try await withThrowingTaskGroup(of: End.self) { tasks in
      tasks.addTask {
        try await pipeline.run(); return .pipeline
      }
      tasks.addTask {
        try await server.run(); return .other
      }
      tasks.addTask {
        try await disposals.run(); return .other
      }
      tasks.addTask {
        try await history.run(); return .other
      }
      tasks.addTask {
        await keys.run(ledger); return .other
      }
      tasks.addTask {
        try await trouble.failWhenBroken(); return .other
      }
      tasks.addTask {
        try await live(signals); return .other
      }
      while let end = try await tasks.next() {
        if end == .pipeline { break }
      }
      tasks.cancelAll()
    }
    try await disposals.finish()
    try socket.removeFile()
    try ledger.close()
  }

  private var recovery: Recovery {
    Recovery(ledger: ledger, stages: stages, admissions: admissions, disposals: disposals, journal: journal)
  }

  private var server: ControlServer {
    let desk = Desk(
      ledger: ledger, pipeline: pipeline, stages: stages, disposals: disposals, activity: activity, clock: clock,
      startedAt: startedAt,
      tail: tail, journal: journal)
    return ControlServer(
      descriptor: socket.descriptor, operations: desk.operations, userName: UserName.of, now: clock.now,
      report: { [journal] in journal.error($0) })
  }

  /// Takes files in until a signal comes; then begins nothing more, and cuts what outlasts the grace.
  private func live(_ signals: AsyncStream<Int32>) async throws {
    // what is held in memory for want of space is done again at the next start
    let end = Alarm("waybill.end", clock: clock, ring: { [ledger] in ledger.waitNoLonger() })
    let intake = Intake(
      ledger: ledger, pipeline: pipeline, room: room, admissions: admissions, recovery: recovery, journal: journal,
      trouble: spoolTrouble)
    try await intake.run(
      stages.spools,
      until: {
        await stop(signals)
        end.set(clock.steady() + grace)
      }
    ) {
      notifier.ready(status: StatusLine.words(activity.current, ledger.counts))
      journal.tell(.started, "waybilld \(Daemon.version) started", version: Daemon.version)
      pipeline.wake()
    }
    let inFlight = activity.current.uploads + activity.current.registrations
    notifier.stopping(status: "stopping, \(inFlight) in flight")
    journal.tell(.stopping, "waybilld \(Daemon.version) stops, \(inFlight) in flight", version: Daemon.version)
    pipeline.drain()
    try await Task.sleep(for: grace)  // cancelled as soon as the pipeline has ended
    pipeline.cutAll()
  }

  private func stop(_ signals: AsyncStream<Int32>) async {
    for await signal in signals {
      if signal != SIGHUP { return }
      journal.error("SIGHUP: this version reads its configuration only at start: restart waybilld to change it")
    }
  }
}

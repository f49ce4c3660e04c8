import ControlAPI
import ControlServer
import Credentials
package import Delivery
import FoundationEssentials
import HTTPTransfer
import Jobs
import Ledger
package import Linux
import Messages
import ObjectStorage
import Registration
import Reports
import Seams
import Settings
import Spool
package import SystemdLink
import WebPages

extension RunningDaemon {
  /// Reads the configuration and puts the parts together. Nothing is watched, claimed or sent yet.
  /// - Parameters:
  ///   - machine: all that decides when something happens, and by chance. In a simulation it also has the network, and there is
  ///     no control socket: commands are calls of ``operations``.
  ///   - passed: the sockets that systemd holds.
  ///   - types: the media types by file name; nil for the table of this system.
  /// - Throws: what ``DaemonError`` knows how to say: configuration, ledger, spools, control socket.
  package static func build(
    configuration path: String, on machine: Machine, journal writer: JournalWriter, passed: [ListeningSocket],
    types: MediaTypes? = nil
  ) throws -> RunningDaemon {
    // The configuration, and what needs nothing else.
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(path: path, environment: environment)
    let daemon = configuration.daemon
    daemon.setProcessZone()
    let clock = Clock(
      now: { Timestamp(microseconds: machine.wall()) }, steady: { Timestamp(microseconds: machine.steady()) })
    let journal = try EventLog(writer: writer, level: daemon.journal, clock: clock, on: machine)
    let notifier = ServiceNotifier { journal.error("\($0)") }
    let memorySlots = Slots.fitting(MemoryBound.bytes())
    let descriptors = DescriptorPlan(DescriptorLimit.current)
    let wanted = if case .fixed(let slots) = daemon.concurrency { slots } else { memorySlots }
    let most = min(descriptors.slots, wanted)
    // a file's parts are requests too, more of them than slots
    let transport = try Transport(
      maxConnections: min(descriptors.slots, max(256, most)), inFlight: most,
      sendLimit: daemon.bandwidth, on: machine)
    let workers = try WorkerThreads(count: 4, name: "files", on: machine)
    let disposers = try WorkerThreads(count: 2, name: "files disposal", on: machine)
    let room = try IntakeRoom(admitAhead: daemon.admitAhead, routes: configuration.routes, on: machine)
    let problems = CurrentProblems(clock: clock)

    // The ledger, which may be large. Its commits and its trouble are heard of from `observe` on.
    let start = LongStart(on: machine) { notifier.extendTimeout($0) }
    let ledger = try JobLedger.open(
      directory: daemon.state, clock: clock, on: machine, longestWait: configuration.longestWait,
      boot: KernelSetting.bootName(environment: environment))
    let activity = Activity(clock: clock, on: machine) { change in
      journal.activity(isBusy: change.isBusy, uploads: change.uploads, registrations: change.registrations)
      // After fewer steps there is less memory to give back than the looking costs.
      guard !change.isBusy, change.steps >= 512 else { return }
      ledger.releaseMemory()
      ProcessMemory.returnFreeMemory()
    }
    let spoolTrouble = SpoolTrouble(journal: journal, ledger: ledger, clock: clock, problems: problems)

    // The stages that the configuration asks for, and the way of a job through them.
    let builder = ConfigurationBuilder(
      ConfigurationBuilder.Shared(
        path: path, environment: environment, clock: clock, machine: machine, transport: transport, workers: workers,
        disposers: disposers, activity: activity,
        types: types ?? MediaTypes.read { journal.notice($0) }, trouble: spoolTrouble, problems: problems,
        notice: { journal.notice($0) }))
    let current = CurrentConfiguration(
      try builder.build(configuration), memorySlots: memorySlots, descriptorSlots: descriptors.slots,
      rates: transport.rates)
    if let words = problems.update(descriptors, for: daemon.concurrency) { journal.notice(words) }
    problems.updateWhenRead {
      _ = problems.update(descriptors, for: current.now.configuration.daemon.concurrency)
    }
    let orphans = OrphanedFiles(ledger: ledger, current: current, problems: problems, clock: clock, on: machine)
    let disposals = try Disposals(ledger: ledger, current: current, on: machine)
    let pipeline = Pipeline(
      ledger: ledger, current: current, disposals: disposals,
      executor: transport.tasks, setPlaces: { await transport.limit(inFlight: $0) })
    let keys = try KeyWatch(current: current, on: machine)
    let due = try Alarm("waybill.due", on: machine, ring: { pipeline.wake() })

    // Those who tell people and programs.
    let status = try StatusLine(
      notifier: notifier, problems: problems, ledger: ledger, on: machine, activity: { activity.current })
    let notices = try Notices(
      configuration.webhooks, problems: problems, journal: journal, readers: builder.readers, clock: clock, on: machine,
      host: builder.shared.host, userAgent: ConfigurationBuilder.userAgent)
    let changeLog = ChangeLog(last: ledger.counts.lastEvent)
    var lastHour = LastHour()
    do {
      for (at, count) in try ledger.registrations(since: clock.now() + .seconds(-3600)) { lastHour.add(count, at: at) }
    } catch {
      journal.notice("the chart of the last hour begins with this start: \(error)")
    }
    let tallies = CommitTallies(lastHour: lastHour)
    let trouble = LedgerTrouble(journal: journal, clock: clock)
    problems.onChange {
      status.touch()
      notices.problemsChanged()
    }
    problems.updateWhenRead { room.hasSpace() }
    problems.updateWhenRead { problems.update(journal: writer.trouble) }
    problems.updateWhenRead { problems.update(from: current.now, builder.readers) }

    let history = try History(ledger: ledger, current: current, journal: journal, clock: clock, on: machine)

    // The tasks: files that come in, and the work of now and then.
    let recovery = Recovery(ledger: ledger, current: current, disposals: disposals, journal: journal)
    let intake = Intake(pipeline: pipeline, room: room, recovery: recovery)
    let parts = DaemonParts(
      clock: clock, machine: machine, journal: journal, notifier: notifier, ledger: ledger, pipeline: pipeline,
      builder: builder, current: current, orphans: orphans, disposals: disposals, recovery: recovery,
      intake: intake, room: room, history: history, activity: activity, transport: transport, problems: problems,
      trouble: trouble, keys: keys, due: due, status: status, notices: notices,
      tallies: tallies, changeLog: changeLog)

    // From here on all hear of the ledger.
    let readers = CommitReaders(parts: parts)
    ledger.observe(readers)
    readers.follow(ledger.counts)
    changeLog.update(ledger.counts, changed: [])
    tellOfOpening(ledger, trouble, status, writer)
    room.watch(try Directory(path: daemon.state), minFree: { current.now.configuration.daemon.minFree }) { words in
      ledger.record(trouble.reportSpace(words))
      problems.update(shortage: words, state: daemon.state)
    }
    return RunningDaemon(
      parts: parts,
      commands: CommandService(
        parts: parts, configurationReload: Reload(parts), startedAt: clock.steady(), userNames: UserNames(clock: clock)),
      network: machine.world == nil ? watchNetwork(pipeline, journal) : nil,
      socket: machine.world == nil ? try listen(daemon, passed, journal) : nil,
      health: Health(
        clock: clock, problems: problems, patience: notifier.watchdogInterval ?? longestSilence),
      start: start)
  }

  /// Tells operators that the ledger was damaged, or is not the one that was last in use.
  private static func tellOfOpening(
    _ ledger: JobLedger, _ trouble: LedgerTrouble, _ status: StatusLine, _ writer: JournalWriter
  ) {
    if let aside = ledger.setAside {
      ledger.record(trouble.report(opening: aside.message))
      status.set(notice: aside.path.map { "the ledger was damaged and is kept as \($0)" } ?? "the ledger was empty")
      if !writer.standardErrorHasEntries { Daemon.report(aside.message.text) }
    }
    if let loss = ledger.loss {
      let message = Message.ledgerLostInPart(why: loss)
      ledger.record(trouble.report(opening: message))
      status.set(notice: message.text)
    }
  }

  /// Without the right to it (AF_NETLINK), a network that is back is found by probes alone.
  private static func watchNetwork(_ pipeline: Pipeline, _ journal: EventLog) -> NetworkWatch? {
    let report = { @Sendable (error: any Error) in
      journal.notice("\(error); jobs that wait for the network go on when it is probed")
    }
    do {
      return try NetworkWatch(changed: { pipeline.networkChanged() }, report: report)
    } catch {
      report(error)
      return nil
    }
  }

  private static func listen(
    _ settings: DaemonSettings, _ passed: [ListeningSocket], _ journal: EventLog
  ) throws -> ListeningSocket {
    if let socket = passed.first { return socket }
    let socket = try UnixSocket.listen(
      path: settings.control ?? settings.defaultControl, mode: 0o660, group: "waybill")
    for note in socket.notes { journal.notice(note) }
    return socket
  }
}

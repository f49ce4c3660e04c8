import Credentials
import Foundation
import HTTPTransfer
import Jobs
import Ledger
import LinuxFiles
import ObjectStorage
import Registration
import Settings
import Spool
import Synchronization
import SystemdLink

extension House {
  /// Reads the configuration and puts the parts together. Nothing is watched, claimed or sent yet.
  ///
  /// - Throws: what ``DaemonError`` knows how to say: configuration, ledger, spools, control socket.
  static func build(configuration path: String, journal writer: JournalWriter) throws -> House {
    let passed = try PassedSockets.take()
    let environment = ProcessInfo.processInfo.environment
    let configuration = try Configuration.load(path: path, environment: environment)
    let clock = Clock.system()
    let journal = JournalReader(writer: writer, level: JournalReader.Level(configuration.daemon.journal), clock: clock)
    let notifier = ServiceNotifier { journal.error("\($0)") }
    let transport = try Transport()
    let workers = try WorkerThreads(count: 4, name: "files")
    let activity = Activity(clock: clock) { journal.read($0) }

    let readers = CommitReaders()
    let trouble = LedgerTrouble(journal: journal, clock: clock)
    let room = IntakeRoom(
      admitAhead: configuration.daemon.admitAhead,
      priorities: Dictionary(uniqueKeysWithValues: configuration.spools.map { ($0.name, $0.priority) }), clock: clock)
    let onTrouble = TroubleSwitch()
    let ledger = try JobLedger.open(
      directory: configuration.daemon.state, clock: clock, onCommit: readers.read,
      onProblem: { error in
        room.hold(error != nil)
        onTrouble.tell(error, trouble.note(error))
      })
    let spoolTrouble = SpoolTrouble(journal: journal, ledger: ledger, clock: clock)

    let outfit = Outfit(
      configuration: configuration, environment: environment, clock: clock, transport: transport, workers: workers)
    let stages = try outfit.stages(activity: activity, report: spoolTrouble.note)
    let admissions = try outfit.admissions(MediaTypes.read { journal.notice($0) })
    let disposals = Disposals(ledger: ledger, stages: stages, admissions: admissions)
    let pipeline = Pipeline(
      ledger: ledger, stages: stages, disposals: disposals, concurrency: configuration.daemon.concurrency,
      executor: transport.tasks)
    let status = StatusLine(notifier: notifier, clock: clock) { StatusLine.words(activity.current, ledger.counts) }
    let tail = EventTail(last: ledger.counts.lastEvent)
    let keys = KeyWatch(credentials: stages.credentials, clock: clock)
    let due = Alarm("waybill.due", clock: clock, ring: { pipeline.wake() })

    onTrouble.connect { error, occurrences in
      status.set(trouble: error?.words)
      for occurrence in occurrences { ledger.note(occurrence) }
    }
    room.update(ledger.counts)
    room.watch(
      LedgerSpace(
        directory: try Directory(path: configuration.daemon.state), minFree: configuration.daemon.minFree,
        tell: { words in
          ledger.note(trouble.noteSpace(words))
          status.set(shortage: words)
        }))
    readers.add { commit in
      for event in commit.events { journal.read(event) }
      for occurrence in commit.occurrences { journal.read(occurrence) }
      room.update(commit.counts)
      tail.update(commit.counts)
      due.set(commit.counts.nextTime)
      keys.update(commit.counts)
      status.touch()
      pipeline.update(commit.counts)
    }
    due.set(ledger.counts.nextTime)
    keys.update(ledger.counts)

    return House(
      clock: clock, startedAt: clock.steady(), grace: configuration.daemon.grace, journal: journal,
      notifier: notifier, ledger: ledger, pipeline: pipeline, stages: stages, disposals: disposals,
      history: History(ledger: ledger, stages: stages, keep: configuration.daemon.history, journal: journal),
      activity: activity, room: room, admissions: admissions, transport: transport, status: status,
      trouble: trouble, spoolTrouble: spoolTrouble, keys: keys, tail: tail,
      socket: try listen(configuration.daemon, passed, journal))
  }

  /// The socket that systemd passed, else one of our own.
  private static func listen(
    _ settings: DaemonSettings, _ passed: [ListeningSocket], _ journal: JournalReader
  ) throws -> ListeningSocket {
    if let socket = passed.first { return socket }
    let socket = try UnixSocket.listen(
      path: settings.control ?? settings.defaultControl, mode: 0o660, group: "waybill")
    for note in socket.notes { journal.notice(note) }
    return socket
  }
}

/// Connects trouble with the ledger to those who are made after the ledger.
private final class TroubleSwitch: Sendable {
  private let reader = Mutex<(@Sendable (LedgerError?, [Occurrence]) -> Void)?>(nil)

  func connect(_ read: @escaping @Sendable (LedgerError?, [Occurrence]) -> Void) { reader.withLock { $0 = read } }

  func tell(_ error: LedgerError?, _ occurrences: [Occurrence]) { reader.withLock { $0 }?(error, occurrences) }
}

extension JournalReader.Level {
  fileprivate init(_ detail: DaemonSettings.JournalDetail) {
    switch detail {
    case .debug: self = .debug
    case .info: self = .info
    case .notice: self = .notice
    }
  }
}

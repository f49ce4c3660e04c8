import Delivery
import Jobs
import Ledger
import Linux
import Messages
import Reports
import Synchronization

/// Jobs that need something that is not in the configuration: the spool that has their file, which was renamed or taken out, or the storage
/// that may have their object after a cancel. A person is told before such a job is wanted, not after a confirm.
final class OrphanedFiles: Sendable {
  /// The shortest time between two looks while there is such a job.
  private static let pause = Duration.seconds(10)

  private let ledger: JobLedger
  private let current: CurrentConfiguration
  private let problems: CurrentProblems
  private let clock: Clock
  private let machine: Machine
  /// The time of the last look that found such a job; nil if it found none.
  private let found = Mutex<Timestamp?>(nil)
  private let (turns, turn) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  init(
    ledger: JobLedger, current: CurrentConfiguration, problems: CurrentProblems, clock: Clock, on machine: Machine
  ) {
    (self.ledger, self.current, self.problems, self.clock) = (ledger, current, problems, clock)
    self.machine = machine
  }

  /// Looks again every minute while there is such a job, so that its end is told to those who do not ask. At rest it sleeps.
  func run() async throws {
    for await _ in turns {
      while found.withLock({ $0 != nil }) {
        try await machine.sleep(for: .seconds(60))
        _ = try await update()
      }
    }
    try Task.checkCancellation()
  }

  /// Looks for such jobs, and sets and clears their problems, which it returns in words.
  func update() async throws -> [Message] {
    let needed = try await ledger.spoolsOfNeededFiles()
    let stages = current.now
    let gone = needed.filter { stages.spools[$0.spool] == nil }
    let stranded = strandedCleanups
    let isFound = !gone.isEmpty || !stranded.isEmpty
    found.withLock { $0 = isFound ? clock.steady() : nil }
    if isFound { turn.yield() }
    var words: [Message] = []
    for storage in stranded {
      let (what, remedy): (Message, Message) = (
        .cleanupsStranded(storage: DisplayText.escape(storage)), .putStorageBack(storage: DisplayText.escape(storage))
      )
      problems.set(CurrentProblems.Key(area: .configuration, subject: storage), what, remedy: remedy)
      words.append(.and(what: what, more: remedy))
    }
    for (spool, count, first) in gone {
      let job = try await ledger.job(.number(first))
      let place = job.flatMap { stages.placeOfFile(of: $0) }
      let name = DisplayText.escape(spool)
      let (what, remedy): (Message, Message) =
        if let place = place.map(DisplayText.escape) {
          (.spoolRenamed(spool: name, jobs: count, path: place), .reloadWhenNamed)
        } else {
          (.spoolGone(spool: name, jobs: count), .putSpoolBack(spool: name))
        }
      problems.set(CurrentProblems.Key(area: .configuration, subject: spool), what, remedy: remedy)
      words.append(.and(what: what, more: remedy))
    }
    problems.keep(.configuration, only: Set(gone.map(\.spool) + stranded + [Reload.refusal.subject]))
    return words
  }

  private var strandedCleanups: [String] {
    let stages = current.now
    return ledger.counts.nextCleanups.keys.filter { !stages.isConfigured($0) }.map(\.text).sorted()
  }

  /// Looks again, if there was such a job a while ago, which may be over by now, or if a cancel has left a cleanup.
  func updateIfDue() async throws {
    let now = clock.steady()
    guard found.withLock({ $0.map { now - $0 >= Self.pause } ?? !strandedCleanups.isEmpty }) else { return }
    _ = try await update()
  }
}

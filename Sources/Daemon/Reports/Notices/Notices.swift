import ControlAPI
package import Credentials
import HTTPTransfer
package import Jobs
package import Ledger
package import Linux
import Messages
package import Settings
import Synchronization

/// Sends notices of questions, aborted jobs, gates and problems to webhooks.
///
/// The ledger's thread queues the events of a commit for each receiver that wants them (``read(_:)``). ``run()`` queues the problems
/// that came and went, and sends what is due. It has a transport of its own, so that no job waits for it. No notice is kept over a
/// restart: the ledger's log and the journal have everything.
package final class Notices: Sendable {
  struct Receiver: Sendable {
    /// The number of failures in a row that are reported to a person.
    private static let patience = 3

    var settings: WebhookSettings
    var queue = NoticeQueue()
    /// A word that only this queue has, for the ids of its requests.
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
    /// True from the report that it takes no notices until it takes one.
    private(set) var isUnheard = false

    init(settings: WebhookSettings) { self.settings = settings }

    var name: String { "webhook.\(settings.name)" }

    /// Records the outcome of a request. Returns true if it is news that the receiver takes notices or takes none.
    mutating func end(_ outcome: NoticeQueue.Outcome, now: Timestamp, retryAfter: Duration) -> Bool {
      queue.end(outcome, now: now, retryAfter: retryAfter)
      let before = isUnheard
      switch outcome {
      case .delivered: isUnheard = false
      case .refused: isUnheard = true
      case .failed: isUnheard = isUnheard || queue.failures >= Self.patience
      }
      return isUnheard != before
    }
  }

  private struct Contents {
    var receivers: [String: Receiver]
    var known: [Int: ProblemMessage] = [:]
    var lookedAt: Timestamp?
    /// True if a problem came or went since the last look.
    var hasNews = false
    var transport: Transport?

    /// The time of the next look at the problems: soon if one came or went, else at intervals, because some are only found by
    /// looking. Nil if no receiver wants to know.
    var lookDue: Timestamp? {
      guard receivers.values.contains(where: { $0.settings.topics.contains(.problem) }) else { return nil }
      guard let lookedAt else { return Timestamp(microseconds: .min) }
      return lookedAt + (hasNews ? .seconds(1) : .seconds(60))
    }

    mutating func add(_ notices: [Notice]) {
      for (name, receiver) in receivers {
        receivers[name]?.queue.add(notices.filter { receiver.settings.topics.contains($0.topic) })
      }
    }
  }

  let clock: Clock
  let host: String
  let userAgent: String
  let readers: CredentialReaders
  private let machine: Machine
  private let problems: CurrentProblems
  private let journal: EventLog
  private let contents: Mutex<Contents>
  private let alarm: Alarm
  private let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Creates the sender. Nothing is sent before ``run()``.
  package init(
    _ webhooks: [String: WebhookSettings], problems: CurrentProblems, journal: EventLog, readers: CredentialReaders,
    clock: Clock, on machine: Machine, host: String, userAgent: String
  ) throws(FileError) {
    (self.problems, self.journal, self.readers) = (problems, journal, readers)
    (self.clock, self.machine, self.host, self.userAgent) = (clock, machine, host, userAgent)
    contents = Mutex(Contents(receivers: webhooks.mapValues { Receiver(settings: $0) }))
    alarm = try Alarm("waybill.notices", on: machine, ring: { [bell] in bell.yield() })
  }

  /// Changes the receivers. Notices that wait for one that stays are sent with its new settings.
  package func configure(_ webhooks: [String: WebhookSettings]) {
    let gone = contents.withLock { contents in
      let before = contents.receivers
      contents.receivers = webhooks.mapValues { settings in
        var receiver = before[settings.name] ?? Receiver(settings: settings)
        if receiver.settings != settings { receiver.queue.retryNow() }
        receiver.settings = settings
        return receiver
      }
      return before.values.filter { $0.isUnheard && webhooks[$0.settings.name] == nil }
    }
    for receiver in gone { report(receiver, nil) }
    bell.yield()
  }

  /// Reads a commit, on the ledger's thread. A commit in which nothing went wrong costs a look at the kinds of its events.
  package func read(_ commit: Commit) {
    guard contents.withLock({ !$0.receivers.isEmpty }) else { return }
    let notices = commit.events.compactMap(Notice.init) + commit.occurrences.compactMap(Notice.init)
    guard !notices.isEmpty else { return }
    contents.withLock { $0.add(notices) }
    bell.yield()
  }

  package func problemsChanged() {
    contents.withLock { $0.hasNews = true }
    bell.yield()
  }

  package func run() async {
    bell.yield()
    await withDiscardingTaskGroup { tasks in
      for await _ in bells {
        let now = clock.steady()
        queueProblems(now)
        for (receiver, batch) in nextBatches(now) {
          tasks.addTask { await self.send(batch, to: receiver) }
        }
        alarm.set(nextDue.map { max($0, now).microseconds })
      }
    }
    contents.withLock { $0.transport }?.shutdown()
  }

  /// The time at which there is something to do; nil if there is nothing to do before an event.
  private var nextDue: Timestamp? {
    contents.withLock { ($0.receivers.values.map(\.queue.due) + [$0.lookDue]).compactMap(\.self).min() }
  }

  /// Queues notices of the problems that came and went, if it is time.
  private func queueProblems(_ now: Timestamp) {
    let isDue = contents.withLock { contents in
      guard let due = contents.lookDue, due <= now else { return false }
      (contents.lookedAt, contents.hasNews) = (now, false)
      return true
    }
    guard isDue else { return }
    // Without the lock: a problem that is found now calls `problemsChanged`.
    let current = Dictionary(uniqueKeysWithValues: problems.current.map { ($0.number, $0.message) })
    let ended = clock.now()
    contents.withLock { contents in
      let before = exchange(&contents.known, with: current)
      contents.add(
        current.filter { before[$0.key] == nil }.sorted { $0.key < $1.key }.map { _, problem in
          Notice("problem", .problem, at: problem.since, message: problem.what, remedy: problem.help)
        }
          + before.filter { current[$0.key] == nil }.sorted { $0.key < $1.key }.map { _, problem in
            Notice("problem-over", .problem, at: ended, message: problem.what)
          })
    }
  }

  private func nextBatches(_ now: Timestamp) -> [(Receiver, NoticeQueue.Batch)] {
    contents.withLock { contents in
      var due: [(Receiver, NoticeQueue.Batch)] = []
      for (name, receiver) in contents.receivers {
        if let batch = contents.receivers[name]?.queue.nextBatch(now: now) { due.append((receiver, batch)) }
      }
      return due
    }
  }

  func opened() throws -> Transport {
    try contents.withLock { contents in
      if let transport = contents.transport { return transport }
      let opened = try Transport(on: machine)
      contents.transport = opened
      return opened
    }
  }

  /// Records the outcome of a request, and reports once that a receiver takes no notices, and once that it takes them again.
  func end(_ outcome: NoticeQueue.Outcome, of receiver: Receiver, why: Message, retryAfter: Duration) {
    let name = receiver.settings.name
    let now = clock.steady()
    let isNews = contents.withLock { contents in
      // A reload may have removed it in the meantime.
      guard contents.receivers[name]?.mark == receiver.mark else { return false }
      return contents.receivers[name]?.end(outcome, now: now, retryAfter: retryAfter) ?? false
    }
    if isNews {
      report(receiver, outcome == .delivered ? nil : .noticesFail(url: Self.shown(receiver.settings.url), why: why))
    }
    bell.yield()
  }

  /// Reports that a receiver takes no notices, with the reason, or that it takes them again (nil).
  private func report(_ receiver: Receiver, _ message: Message?) {
    journal.notice("\(receiver.name): " + (message?.text ?? "what failed is over"))
    let key = CurrentProblems.Key(area: .notices, subject: receiver.name)
    problems.set(key, message, remedy: .seeReceiver(receiver: receiver.name))
  }
}

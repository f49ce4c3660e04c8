package import ControlAPI
package import Credentials
package import HTTPTransfer
package import Jobs
package import Ledger
package import Settings
import Synchronization

/// Tells other systems how the daemon is: a ping while all is well, and notices for webhooks.
///
/// It has a transport of its own, so that no job waits for it. Nothing is kept over a restart: the ledger's log and the journal
/// have everything.
package actor Notices {
  /// The parts of the daemon that it needs.
  package struct Parts: Sendable {
    let clock: Clock
    let host: String
    let userAgent: String
    /// A word of this run alone, for the ids of requests.
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
    /// Opens the transport of its own.
    let open: @Sendable () throws -> Transport
    let reader: @Sendable (CredentialSource) -> CredentialReader
    /// All that is wrong and needs a person, in sentences.
    let trouble: @Sendable () -> [String]
    /// The problems that stand now.
    let problems: @Sendable () -> [ProblemMessage]
    /// Hears that a receiver does not take what it is sent, and why; nil when it does again.
    let unheard: @Sendable (_ receiver: String, _ words: String?) -> Void

    package init(
      clock: Clock, host: String, userAgent: String, open: @escaping @Sendable () throws -> Transport,
      reader: @escaping @Sendable (CredentialSource) -> CredentialReader, trouble: @escaping @Sendable () -> [String],
      problems: @escaping @Sendable () -> [ProblemMessage],
      unheard: @escaping @Sendable (_ receiver: String, _ words: String?) -> Void
    ) {
      self.clock = clock
      self.host = host
      self.userAgent = userAgent
      self.open = open
      self.reader = reader
      self.trouble = trouble
      self.problems = problems
      self.unheard = unheard
    }
  }

  /// The settings that it goes by.
  package struct Options: Equatable, Sendable {
    let notify: NotifySettings
    let webhooks: [String: WebhookSettings]

    package init(_ configuration: Configuration) {
      notify = configuration.notify
      webhooks = configuration.webhooks
    }

    var isEmpty: Bool { notify.ping == nil && webhooks.isEmpty }
  }

  /// A receiver, with what waits for it.
  struct Receiver {
    var settings: WebhookSettings
    var queue = NoticeQueue()
  }

  let parts: Parts
  var options: Options
  var receivers: [String: Receiver] = [:]
  var turns = PingTurns()
  var pingFailures = 0
  private var isPinging = false
  private var known: Set<String> = []
  private var trouble: [String] = []
  private var lookedAt: Timestamp?
  private var unheardOf: Set<String> = []
  private var transport: Transport?
  private var alarmAt: Timestamp?
  private let bells: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation
  /// True if somebody is to be told of anything. Read by the ledger's thread at each commit.
  private nonisolated let isWanted = Atomic(false)
  /// True if something happened that may have changed how the daemon is.
  private nonisolated let hasNews = Atomic(false)
  private nonisolated let heard = Mutex<[Notice]>([])

  package init(_ parts: Parts, _ options: Options) {
    self.parts = parts
    self.options = options
    (bells, bell) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    receivers = options.webhooks.mapValues { Receiver(settings: $0) }
    isWanted.store(!options.isEmpty, ordering: .relaxed)
  }

  /// Goes on by other settings. What waits for a receiver that stays is sent by its new ones.
  package func configure(_ options: Options) {
    guard options != self.options else { return }
    if options.notify.ping != self.options.notify.ping {
      turns = PingTurns()
      pingFailures = 0
      tell(of: Self.ping, nil)
    }
    for name in receivers.keys where options.webhooks[name] == nil { tell(of: Self.receiver(name), nil) }
    receivers = options.webhooks.mapValues { Receiver(settings: $0, queue: receivers[$0.name]?.queue ?? NoticeQueue()) }
    self.options = options
    isWanted.store(!options.isEmpty, ordering: .relaxed)
    bell.yield()
  }

  /// Reads a commit, on the ledger's thread. A commit in which nothing went wrong costs a look at the kinds of its events.
  package nonisolated func read(_ commit: Commit) {
    guard isWanted.load(ordering: .relaxed) else { return }
    let notices = commit.events.compactMap(Notice.init) + commit.occurrences.compactMap(Notice.init)
    guard !notices.isEmpty else { return }
    heard.withLock { $0 = ($0 + notices).suffix(2 * NoticeQueue.mostWaiting) }
    hasNews.store(true, ordering: .relaxed)
    bell.yield()
  }

  /// Hears that a problem came or went.
  package nonisolated func problemsChanged() {
    hasNews.store(true, ordering: .relaxed)
    if isWanted.load(ordering: .relaxed) { bell.yield() }
  }

  /// Sends what is due, until its task is cancelled.
  package func run() async {
    bell.yield()
    await withDiscardingTaskGroup { tasks in
      for await _ in bells {
        guard !options.isEmpty else { continue }
        let now = parts.clock.steady()
        hand(
          heard.withLock { heard in
            defer { heard = [] }
            return heard
          })
        if lookDue <= now { look(now) }
        for name in receivers.keys {
          guard let batch = receivers[name]?.queue.take(now: now), let settings = receivers[name]?.settings else {
            continue
          }
          tasks.addTask { await self.send(batch, to: settings) }
        }
        if let url = options.notify.ping, let due = pingDue, due <= now {
          turns.begin(isWell: trouble.isEmpty, now: now)
          isPinging = true
          tasks.addTask { [trouble] in await self.ping(url, trouble) }
        }
        let next = nextDue
        guard next > now else {
          bell.yield()
          continue
        }
        if let alarmAt, alarmAt > now, alarmAt <= next { continue }
        alarmAt = next
        tasks.addTask { [bell] in
          try? await Task.sleep(for: next - now)
          bell.yield()
        }
      }
    }
    transport?.shutdown()
  }

  /// The receiver of the ping, in problems.
  package static let ping = "notify.ping"

  /// The receiver of notices, in problems: the name of its section.
  static func receiver(_ name: String) -> String { "webhook.\(name)" }

  private var nextDue: Timestamp {
    min(lookDue, receivers.values.compactMap(\.queue.due).min() ?? lookDue, pingDue ?? lookDue)
  }

  /// The time of the next ping; nil if there is none, or if one is in flight.
  private var pingDue: Timestamp? {
    guard options.notify.ping != nil, !isPinging else { return nil }
    return turns.due(isWell: trouble.isEmpty, every: options.notify.pingEvery)
  }

  /// The time of the next look at how the daemon is: soon if something happened, else now and then.
  private var lookDue: Timestamp {
    guard let lookedAt else { return Timestamp(microseconds: .min) }
    return lookedAt + (hasNews.load(ordering: .relaxed) ? PingTurns.least : options.notify.pingEvery)
  }

  /// Looks at how the daemon is, and hands on the problems that came and went.
  private func look(_ now: Timestamp) {
    lookedAt = now
    hasNews.store(false, ordering: .relaxed)
    trouble = parts.trouble()
    let problems = parts.problems()
    let standing = Set(problems.map(\.what))
    let begun = problems.filter { !known.contains($0.what) }.map {
      Notice("problem", .problem, at: $0.since.timestamp, message: $0.what, remedy: $0.remedy)
    }
    let ended = known.subtracting(standing).sorted().map {
      Notice("problem-over", .problem, at: parts.clock.now(), message: $0)
    }
    known = standing
    hand(begun + ended)
  }

  /// Puts notices into the queues of those who want them.
  private func hand(_ notices: [Notice]) {
    for notice in notices {
      for (name, receiver) in receivers where receiver.settings.topics.contains(notice.topic) {
        receivers[name]?.queue.add(notice)
      }
    }
  }

  /// Says once that a receiver does not take what it is sent, and once that it does again (nil).
  func tell(of receiver: String, _ words: String?) {
    if words == nil ? unheardOf.remove(receiver) != nil : unheardOf.insert(receiver).inserted {
      parts.unheard(receiver, words)
    }
  }

  /// The transport, opened when it is first needed.
  func opened() throws -> Transport {
    if let transport { return transport }
    let opened = try parts.open()
    transport = opened
    return opened
  }

  func pinged() {
    isPinging = false
    bell.yield()
  }

  func ended(_ name: String, _ outcome: NoticeQueue.Outcome, retryAfter: Duration) {
    receivers[name]?.queue.end(
      outcome, now: parts.clock.steady(), share: .random(in: 0.5...1), retryAfter: retryAfter)
    bell.yield()
  }
}

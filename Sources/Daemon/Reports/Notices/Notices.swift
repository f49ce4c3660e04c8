package import ControlAPI
package import Credentials
package import HTTPTransfer
package import Jobs
package import Ledger
package import Linux
package import Messages
package import Settings
import Synchronization

/// Reports the daemon's state to other systems: a ping while all is well, and notices to webhooks.
///
/// The ledger's thread hands over events (``read(_:)``). ``run()`` looks at the daemon's state, queues notices for each receiver,
/// and sends them when they are due. It has a transport of its own, so that no job waits for it. No notice is kept over a
/// restart: the ledger's log and the journal have everything.
package actor Notices {
  /// The state of the daemon, as pings and notices report it: true if nothing is wrong that a person has to act on or should know, and
  /// the present problems, by a number that no other problem has had.
  package typealias Condition = (isWell: Bool, problems: [Int: ProblemMessage])

  /// The parts of the daemon that it needs.
  package struct Parts: Sendable {
    let clock: Clock
    let machine: Machine
    let host: String
    let userAgent: String
    /// Opens the transport for pings and notices.
    let open: @Sendable () throws -> Transport
    let reader: @Sendable (CredentialSource) -> CredentialReader
    /// Returns the state of the daemon.
    let look: @Sendable () -> Condition
    /// Called when a receiver does not take its notices, with the reason, and with nil when it takes them again.
    let unheard: @Sendable (_ receiver: String, _ message: Message?) -> Void

    package init(
      clock: Clock, machine: Machine, host: String, userAgent: String, open: @escaping @Sendable () throws -> Transport,
      reader: @escaping @Sendable (CredentialSource) -> CredentialReader, look: @escaping @Sendable () -> Condition,
      unheard: @escaping @Sendable (_ receiver: String, _ message: Message?) -> Void
    ) {
      self.clock = clock
      self.machine = machine
      self.host = host
      self.userAgent = userAgent
      self.open = open
      self.reader = reader
      self.look = look
      self.unheard = unheard
    }
  }

  /// The settings of pings and notices.
  package struct Options: Equatable, Sendable {
    let notify: NotifySettings
    let webhooks: [String: WebhookSettings]

    package init(_ configuration: Configuration) {
      notify = configuration.notify
      webhooks = configuration.webhooks
    }

    var isEmpty: Bool { notify.ping == nil && webhooks.isEmpty }

    /// True if a receiver wants to know the daemon's state.
    var wantsLooks: Bool { notify.ping != nil || webhooks.values.contains { $0.topics.contains(.problem) } }
  }

  /// A receiver and its queue.
  struct Receiver {
    var settings: WebhookSettings
    var queue = NoticeQueue()
    /// A word that only this queue has, for the ids of its requests.
    let mark = String(UInt64.random(in: .min ... .max), radix: 36)
  }

  /// Notices that wait to be handed to the queues of the receivers.
  private struct Heard {
    var notices: [Notice] = []
    /// The number of notices that were left out for lack of room, by topic.
    var leftOut: [WebhookSettings.Topic: Int] = [:]

    mutating func add(_ more: [Notice]) {
      notices += more
      let tooMany = notices.count - NoticeQueue.mostWaiting
      guard tooMany > 0 else { return }
      for notice in notices.prefix(tooMany) { leftOut[notice.topic, default: 0] += 1 }
      notices.removeFirst(tooMany)
    }
  }

  let parts: Parts
  var options: Options
  var receivers: [String: Receiver] = [:]
  var turns = PingTurns()
  private var isPinging = false
  private var known: [Int: ProblemMessage] = [:]
  private var isWell = true
  private var lookedAt: Timestamp?
  private var unheardOf: Set<String> = []
  private var transport: Transport?
  private let alarm: Alarm
  private let bells: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation
  /// True if there is a receiver. Read by the ledger's thread at each commit.
  private nonisolated let isWanted = Atomic(false)
  /// True if the daemon's state may have changed.
  private nonisolated let hasNews = Atomic(false)
  private nonisolated let heard = Mutex(Heard())

  /// Creates the sender. Nothing is sent before ``run()``.
  /// - Throws: ``ThreadError`` with EMFILE or ENFILE at the limits of descriptors.
  package init(_ parts: Parts, _ options: Options) throws(ThreadError) {
    self.parts = parts
    self.options = options
    let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    (self.bells, self.bell) = (bells, bell)
    alarm = try Alarm("waybill.notices", on: parts.machine, ring: { bell.yield() })
    receivers = options.webhooks.mapValues { Receiver(settings: $0) }
    isWanted.store(!options.isEmpty, ordering: .relaxed)
  }

  /// Changes the settings. Notices that wait for a receiver that stays are sent with its new settings.
  package func configure(_ options: Options) {
    guard options != self.options else { return }
    if options.notify.ping != self.options.notify.ping {
      turns = PingTurns()
      report(of: Self.ping, nil)
    }
    for name in receivers.keys where options.webhooks[name] == nil { report(of: Self.receiver(name), nil) }
    receivers = options.webhooks.mapValues { settings in
      var receiver = receivers[settings.name] ?? Receiver(settings: settings)
      if receiver.settings != settings { receiver.queue.retryNow() }
      receiver.settings = settings
      return receiver
    }
    self.options = options
    isWanted.store(!options.isEmpty, ordering: .relaxed)
    bell.yield()
  }

  /// Reads a commit, on the ledger's thread. A commit in which nothing went wrong costs a look at the kinds of its events.
  package nonisolated func read(_ commit: Commit) {
    guard isWanted.load(ordering: .relaxed) else { return }
    let notices = commit.events.compactMap(Notice.init) + commit.occurrences.compactMap(Notice.init)
    guard !notices.isEmpty else { return }
    heard.withLock { $0.add(notices) }
    hasNews.store(true, ordering: .relaxed)
    bell.yield()
  }

  /// Records that a problem came or went.
  package nonisolated func problemsChanged() {
    hasNews.store(true, ordering: .relaxed)
    if isWanted.load(ordering: .relaxed) { bell.yield() }
  }

  /// Sends what is due, until its task is cancelled.
  package func run() async {
    bell.yield()
    await withDiscardingTaskGroup { tasks in
      for await _ in bells {
        let heard = heard.withLock { heard in
          defer { heard = Heard() }
          return heard
        }
        guard !options.isEmpty else { continue }
        let now = parts.clock.steady()
        hand(heard)
        if let due = lookDue, due <= now { look(now) }
        for name in receivers.keys {
          guard let batch = receivers[name]?.queue.nextBatch(now: now), let receiver = receivers[name] else { continue }
          tasks.addTask { await self.send(batch, to: receiver) }
        }
        if let url = options.notify.ping, let due = pingDue, due <= now {
          turns.begin(now: now)
          isPinging = true
          tasks.addTask { [notify = options.notify] in await self.ping(notify, url) }
        }
        alarm.set(nextDue.map { max($0, now).microseconds })
      }
    }
    transport?.shutdown()
  }

  /// The receiver of the ping, in problems.
  package static let ping = "notify.ping"

  /// The receiver of notices, in problems: the name of its section.
  static func receiver(_ name: String) -> String { "webhook.\(name)" }

  /// The time at which there is something to do; nil if there is nothing to do before an event.
  private var nextDue: Timestamp? {
    (receivers.values.map(\.queue.due) + [lookDue, pingDue]).compactMap(\.self).min()
  }

  /// The time of the next ping; nil if there is none, if something is wrong, or if one is in flight.
  private var pingDue: Timestamp? {
    guard options.notify.ping != nil, isWell, !isPinging else { return nil }
    return turns.due(every: options.notify.pingEvery)
  }

  /// The time of the next look at the daemon's state: soon if something happened, else at intervals, because some problems are
  /// only found by looking. Nil if no receiver wants to know.
  private var lookDue: Timestamp? {
    guard options.wantsLooks else { return nil }
    guard let lookedAt else { return Timestamp(microseconds: .min) }
    return lookedAt + (hasNews.load(ordering: .relaxed) ? .seconds(1) : options.notify.pingEvery)
  }

  /// Looks at the daemon's state, and queues notices of the problems that came and went.
  private func look(_ now: Timestamp) {
    lookedAt = now
    hasNews.store(false, ordering: .relaxed)
    let condition = parts.look()
    isWell = condition.isWell
    let (before, current) = (known, condition.problems)
    known = current
    let begun = current.filter { before[$0.key] == nil }.sorted { $0.key < $1.key }.map { _, problem in
      Notice("problem", .problem, at: problem.since, message: problem.what, remedy: problem.help)
    }
    let ended = before.filter { current[$0.key] == nil }.sorted { $0.key < $1.key }.map { _, problem in
      Notice("problem-over", .problem, at: parts.clock.now(), message: problem.what)
    }
    hand(Heard(notices: begun + ended))
  }

  /// Puts notices into the queues of the receivers that want them.
  private func hand(_ heard: Heard) {
    for (name, receiver) in receivers {
      let topics = receiver.settings.topics
      let leftOut = heard.leftOut.filter { topics.contains($0.key) }.values.reduce(0, +)
      receivers[name]?.queue.add(heard.notices.filter { topics.contains($0.topic) }, leftOut: leftOut)
    }
  }

  /// Reports once that a receiver does not accept notices, and once that it does again (nil).
  func report(of receiver: String, _ message: Message?) {
    if message == nil ? unheardOf.remove(receiver) != nil : unheardOf.insert(receiver).inserted {
      parts.unheard(receiver, message)
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

  /// Records the outcome of a request.
  /// - Returns: the failures since the last delivery; nil if the receiver is gone.
  func ended(_ receiver: Receiver, _ outcome: NoticeQueue.Outcome, retryAfter: Duration) -> Int? {
    defer { bell.yield() }
    let name = receiver.settings.name
    guard receivers[name]?.mark == receiver.mark else { return nil }
    receivers[name]?.queue.end(
      outcome, now: parts.clock.steady(), share: .random(in: 0.5...1), retryAfter: retryAfter)
    return receivers[name]?.queue.failures
  }
}

public import Jobs
public import Messages

/// The query of `GET /v1/changes`: the positions up to which a copy of the ledger is complete.
public struct ChangesQuery: Hashable, Sendable {
  /// The longest time that the daemon waits for a change, in seconds.
  public static let longestWait = 20
  /// The most events, and the most jobs, of an answer.
  public static let limit = 1000

  /// The sequence of the last event that the caller has.
  public var after: Int64
  /// The last answer's ``ChangesMessage/seen``; nil for a caller that has none.
  public var seen: String?
  /// The number of seconds to wait if there is no change.
  public var wait: Int

  /// Creates a query.
  public init(after: Int64, seen: String?, wait: Int = 0) {
    self.after = after
    self.seen = seen
    self.wait = wait
  }

  /// Reads the part of a URL after its `?`.
  ///
  /// - Throws: ``InvalidRequest`` that names the parameter.
  public init(parsing query: some StringProtocol) throws(InvalidRequest) {
    var (after, seen, wait): (Int64?, String?, Int?) = (nil, nil, nil)
    for (name, value) in try QueryText.pairs(query) {
      switch name {
      case "after":
        guard let sequence = Int64(value), sequence >= 0 else {
          throw InvalidRequest("after has to be the number of an event")
        }
        after = try FilterTerms.once(after, sequence, name)
      case "seen":
        guard !value.isEmpty else { throw InvalidRequest("seen needs a value") }
        seen = try FilterTerms.once(seen, value, name)
      case "wait":
        guard let span = RelativeTime.duration(value), span <= .seconds(Self.longestWait) else {
          throw InvalidRequest("wait has to be a span of time of at most \(Self.longestWait)s")
        }
        wait = try FilterTerms.once(wait, Int(span.wholeSeconds), name)
      default: throw InvalidRequest("parameter \"\(name)\" is not known; there are after, seen, wait")
      }
    }
    self.init(after: after ?? 0, seen: seen, wait: wait ?? 0)
  }

  /// The query as the part of a URL after its `?`.
  public var text: String {
    "after=\(after)" + (seen.map { "&seen=\(QueryText.encode($0))" } ?? "") + (wait > 0 ? "&wait=\(wait)" : "")
  }
}

/// The answer to `GET /v1/changes`, for readers that keep a copy of the ledger.
///
/// Events say what happened; ``jobs`` are the jobs as they are now. A job may change without an event: when an attempt begins,
/// when its time comes, when its file is disposed of, or when it leaves the ledger.
public struct ChangesMessage: Hashable, Sendable, Codable {
  /// An event, without the job as it was then.
  public struct Event: Hashable, Sendable, Codable {
    /// The number of the event.
    public var sequence: Int64
    /// The kind of event.
    public var event: String
    /// The time of the event.
    public var at: MessageTime
    /// The event as a sentence for people. Escape it before showing it.
    public var message: String
    /// The code and the arguments of ``message``; nil for words that have none.
    @Nullable public var messageSaid: Message?
    /// The step at which it happened; nil if no job is concerned.
    @Nullable public var step: String?
    /// The job's number; nil if no job is concerned.
    @Nullable public var job: Int64?
    /// The revision of the job right after the event.
    @Nullable public var revision: Int64?
    /// The user who asked for it, if a person did.
    @Nullable public var by: CallerMessage?
    /// The spool of the job, or that the event is about.
    @Nullable public var spool: String?
    /// The destination that the event is about.
    @Nullable public var destination: String?
    /// The reason: a person's words, or the reason of a failure, a gate, a spool or the ledger.
    @Nullable public var reason: String?
    /// The code and the arguments of ``reason``; nil for words that have none.
    @Nullable public var reasonSaid: Message?

    enum CodingKeys: String, CodingKey {
      case sequence = "id"
      case event, at, message, step, job, revision, by, spool, destination, reason
      case messageSaid = "message_said"
      case reasonSaid = "reason_said"
    }

    /// Creates an event from the stream's form.
    public init(_ event: EventMessage) {
      sequence = event.sequence
      self.event = event.event
      at = event.at
      message = event.message
      messageSaid = event.messageSaid
      step = event.step?.rawValue
      job = event.job?.job
      revision = event.job?.revision
      by = event.by
      spool = event.spool ?? event.job?.spool
      destination = event.destination
      reason = event.reason
      reasonSaid = event.reasonSaid
    }

    /// Creates an event from a job's, the same as from the stream's form of it.
    public init(_ event: JobEvent) {
      sequence = event.sequence
      self.event = event.kind.rawValue
      at = MessageTime(event.at)
      let said = event.said
      message = said.text
      messageSaid = said.coded
      step = event.step.rawValue
      job = event.job.number.rawValue
      revision = event.job.revision
      by = event.by.map(CallerMessage.init)
      spool = event.job.ticket.spool
      destination = nil
      reason = event.reason?.text
      reasonSaid = event.reason?.coded
    }
  }

  /// The ledger.
  public var ledger: LedgerIdentityMessage
  /// True if events after the requested one are not kept, or the ledger never had that event.
  public var reset: Bool
  /// The events after the requested one, in order; after a reset, from the first that is kept.
  public var events: [Event]
  /// The sequence up to which there are no more events than these.
  public var upTo: Int64
  /// The sequence of the ledger's last event.
  public var last: Int64
  /// True if it is not known which jobs have changed since ``ChangesQuery/seen``: the caller has to read all of them
  /// (`GET /v1/jobs`).
  public var all: Bool
  /// The jobs that have changed, as they are now.
  public var jobs: [JobMessage]
  /// The numbers of jobs that have left the ledger.
  public var gone: [Int64]
  /// The position up to which these are all jobs that changed.
  public var seen: String
  /// True if there are more changes already.
  public var more: Bool

  enum CodingKeys: String, CodingKey {
    case ledger, reset, events, last, all, jobs, gone, seen, more
    case upTo = "up_to"
  }

  /// Creates an answer.
  public init(
    ledger: LedgerIdentityMessage, reset: Bool, events: [Event], upTo: Int64, last: Int64, all: Bool,
    jobs: [JobMessage], gone: [Int64], seen: String, more: Bool
  ) {
    self.ledger = ledger
    self.reset = reset
    self.events = events
    self.upTo = upTo
    self.last = last
    self.all = all
    self.jobs = jobs
    self.gone = gone
    self.seen = seen
    self.more = more
  }
}

public import ControlAPI
import Jobs
import Messages

/// The position up to which the fleet's tables agree with one ledger.
public struct MirrorPosition: Hashable, Sendable {
  /// The generation of the ledger that the rows are of; 0 if there are none.
  public var generation: Int64
  /// The number of the last event that was applied.
  public var applied: Int64
  /// The position up to which all changes of jobs were applied; nil if it is not known, so that all jobs have to be read.
  public var seen: String?

  /// Creates a position.
  public init(generation: Int64 = 0, applied: Int64 = 0, seen: String? = nil) {
    self.generation = generation
    self.applied = applied
    self.seen = seen
  }

  /// Returns the query for what comes next.
  public func query(wait: Int = 0) -> ChangesQuery { ChangesQuery(after: applied, seen: seen, wait: wait) }
}

/// A change of the fleet's tables that is made in one transaction, with the position after it.
public struct MirrorBatch: Hashable, Sendable {
  /// The position before it: if that is not the present position, nothing is done.
  public var from: MirrorPosition
  /// The position after it.
  public var to: MirrorPosition
  /// The number of the ledger's last event, as far as it is known.
  public var last: Int64
  /// Events of ``to``'s generation beyond this number are removed first; nil if there are none to remove.
  public var forgottenEventsAfter: Int64?
  /// The events to add.
  public var events: [ChangesMessage.Event] = []
  /// The jobs to write as they are.
  public var rows: [MirrorRow] = []
  /// The numbers of jobs to remove.
  public var gone: [Int64] = []
  /// For a page of all jobs: each job in this range that is not in ``rows`` is removed.
  public var whole: ClosedRange<Int64>?

  /// True if it changes nothing.
  public var isEmpty: Bool {
    from == to && events.isEmpty && rows.isEmpty && gone.isEmpty && whole == nil && forgottenEventsAfter == nil
  }
}

/// The steps by which a copy of a ledger is kept up to date. Pure: it decides what to ask and what to write, and others do it.
///
/// A copy follows the daemon's answers (``next(_:_:at:names:)``). If the daemon does not know what changed, all jobs are read page
/// by page (``page(after:_:isLast:seen:at:last:names:)``); the position's `seen` stays unknown until the last page, so that a
/// reader that dies on the way begins again.
public enum MirrorPlan {
  /// Returns the change of the copy for an answer, and the position from which to continue once all jobs were read; nil if they
  /// need not be read.
  ///
  /// - Parameter now: the time of an entry for lost events, if no event follows them.
  public static func next(
    _ answer: ChangesMessage, _ position: MirrorPosition, at now: MessageTime, names: Bool = true
  ) -> (batch: MirrorBatch, readAll: String?) {
    let isOther = answer.ledger.generation != position.generation
    let mustRead = isOther || answer.all || position.seen == nil
    var to = MirrorPosition(generation: answer.ledger.generation, applied: answer.upTo, seen: answer.seen)
    if mustRead { to.seen = nil }
    var batch = MirrorBatch(from: position, to: to, last: answer.last)
    batch.events = answer.events.map { $0.stored(names: names) }
    if answer.reset {
      let start = (answer.events.first?.sequence ?? answer.upTo +| 1) -| 1
      batch.forgottenEventsAfter = start
      if !isOther, position.applied > 0, position.applied < start {
        // without an event all those that the daemon still had are of jobs that have left
        let time = answer.events.first?.at ?? now
        batch.events.insert(.lost(after: position.applied, through: start, at: time), at: 0)
      }
    }
    if !mustRead {
      batch.rows = answer.jobs.map { MirrorRow($0, names: names) }
      batch.gone = answer.gone
    }
    return (batch, mustRead ? answer.seen : nil)
  }

  /// Returns the change of the copy for one page of all jobs.
  ///
  /// - Parameters:
  ///   - after: the number of the last job of the page before; 0 for the first page.
  ///   - isLast: true if there are no more pages.
  ///   - seen: the position from which to continue after the last page.
  public static func page(
    after: Int64, _ jobs: [JobMessage], isLast: Bool, seen: String, at position: MirrorPosition, last: Int64,
    names: Bool = true
  ) -> MirrorBatch {
    var to = position
    if isLast { to.seen = seen }
    var batch = MirrorBatch(from: position, to: to, last: last)
    batch.rows = jobs.map { MirrorRow($0, names: names) }
    let end = isLast ? Int64.max : jobs.last?.job ?? after
    if end > after { batch.whole = after +| 1...end }
    return batch
  }
}

extension ChangesMessage.Event {
  /// The kind of the entry that stands for events that the daemon did not keep.
  static let lostKind = "events-lost"

  /// Returns the entry for events that were missed.
  static func lost(after applied: Int64, through last: Int64, at time: MessageTime) -> ChangesMessage.Event {
    let words = Message.text("events \(applied +| 1) to \(last) were no longer kept by the daemon")
    // its kind is none of the ledger's
    var event = ChangesMessage.Event(
      EventMessage(Occurrence(.ledgerProblem, of: .ledger, at: time.timestamp, message: words)))
    event.sequence = applied +| 1
    event.event = lostKind
    return event
  }

  /// Returns the event as it is stored: without NUL, and without what must not leave the host.
  func stored(names: Bool) -> ChangesMessage.Event {
    var event = self
    event.message = names ? message.storable : self.event
    event.messageSaid = names ? messageSaid : nil
    event.reason = names ? reason?.storable : nil
    event.reasonSaid = names ? reasonSaid : nil
    event.by?.user = by?.user.storable ?? ""
    return event
  }
}

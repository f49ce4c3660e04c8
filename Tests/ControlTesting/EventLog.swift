import ControlAPI
import ControlServer
import Jobs
import Synchronization

/// Events kept in memory: a bounded log, and readers with bounded buffers.
struct EventLog {
  private let kept: Int
  private let waiting: Int
  private var events: [EventMessage] = []
  private var last: Int64 = 0
  private let continuations = Readers()

  init(kept: Int, waiting: Int) {
    self.kept = kept
    self.waiting = waiting
  }

  var readers: Int { continuations.count }

  mutating func append(_ event: (_ sequence: Int64) -> EventMessage) {
    last += 1
    events.append(event(last))
    if events.count > kept { events.removeFirst(events.count - kept) }
    continuations.yield(events[events.endIndex - 1])
  }

  func subscribe(_ query: EventQuery) -> EventSubscription {
    let first = events.first?.sequence ?? last + 1
    let (past, isReset): ([EventMessage], Bool) =
      switch query.start {
      case .now: ([], false)
      case .after(let sequence):
        sequence + 1 < first || sequence > last
          ? (events, true) : (events.filter { $0.sequence > sequence }, false)
      case .since(let time): (events.filter { $0.at >= time }, false)
      }
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: EventMessage.self, bufferingPolicy: .bufferingOldest(waiting + past.count))
    for event in past where query.filter.chooses(event) { continuation.yield(event) }
    continuations.add(continuation, query.filter)
    return EventSubscription(isReset: isReset, position: past.first.map { $0.sequence - 1 } ?? last, events: stream)
  }
}

extension EventLog {
  /// A page, as the ledger gives it.
  func page(_ query: LogQuery) -> LogPage {
    let chosen = events.filter { event in
      query.filter.chooses(event) && query.filter.since.map { event.at >= $0 } ?? true
        && query.filter.until.map { event.at < $0 } ?? true
    }
    let rest =
      switch query.order {
      case .oldest: chosen.filter { $0.sequence > query.after ?? 0 }
      case .newest: chosen.reversed().filter { $0.sequence < query.after ?? .max }
      }
    let page = Array(rest.prefix(query.limit))
    return LogPage(
      events: page, next: page.count < rest.count ? page.last.map { String($0.sequence) } : nil, last: last)
  }
}

extension EventFilter {
  /// True if an event fits by its user, its kind and its file, whenever it happened.
  fileprivate func chooses(_ event: EventMessage) -> Bool {
    switch by {
    case nil: break
    case .anyone: if event.by == nil { return false }
    case .named(let users):
      if event.by.map({ users.contains($0.user) || $0.uid.map { users.contains(String($0)) } == true }) != true {
        return false
      }
    }
    if !events.isEmpty, !events.contains(event.event) { return false }
    return name.map { event.job?.name.lowercased().contains($0.lowercased()) == true } ?? true
  }
}

/// The readers of the log. One whose buffer is full is let go.
private final class Readers: Sendable {
  private let readers = Mutex<(next: Int, all: [Int: Reader])>((0, [:]))

  private struct Reader {
    let continuation: AsyncThrowingStream<EventMessage, any Error>.Continuation
    let filter: EventFilter
  }

  var count: Int { readers.withLock { $0.all.count } }

  func add(
    _ continuation: AsyncThrowingStream<EventMessage, any Error>.Continuation, _ filter: EventFilter
  ) {
    let key = readers.withLock { readers in
      readers.next += 1
      readers.all[readers.next] = Reader(continuation: continuation, filter: filter)
      return readers.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.readers.withLock { $0.all[key] = nil }
    }
  }

  func yield(_ event: EventMessage) {
    for reader in readers.withLock({ Array($0.all.values) }) where reader.filter.chooses(event) {
      if case .dropped = reader.continuation.yield(event) { reader.continuation.finish() }
    }
  }
}

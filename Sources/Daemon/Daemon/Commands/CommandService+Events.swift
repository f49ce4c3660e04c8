import ControlAPI
import ControlServer
import Jobs
import Ledger
import Linux
import Reports
import WebPages

extension CommandService {
  var identity: LedgerIdentityMessage {
    LedgerIdentityMessage(uuid: ledger.identity.uuid, generation: ledger.identity.generation)
  }

  /// Returns a reader's events from a position on: pages of the ledger, then each event as it is committed.
  func events(_ query: EventQuery) async throws -> EventSubscription {
    // Not the last event of the change log, which is updated after a commit is visible in the status.
    let last = ledger.counts.lastEvent
    var position = last
    var isReset = false
    switch query.start {
    case .now: break
    // An event may be committed meanwhile; it follows in the stream.
    case .since(let time): position = min(last, try await ledger.lastEvent(before: time))
    case .after(let sequence): position = sequence
    }
    let oldest = max(0, last - JobLedger.eventsKept)
    if position > last || position < oldest {
      position = oldest
      isReset = true
    }
    let cursor = EventCursor(position: position, filter: await meant(query.filter), commands: self)
    return EventSubscription(
      identity: identity, isReset: isReset, position: position,
      events: AsyncThrowingStream(unfolding: { try await cursor.next() }))
  }

  func log(_ query: LogQuery) async throws -> LogPage {
    let page = try await ledger.log(
      await meant(query.filter), order: query.order, after: query.after, limit: query.limit)
    return LogPage(events: page.events.map(message), next: page.next.map { String($0) }, last: page.last)
  }

  /// Returns the filter with the present names of its user ids added, besides those that events recorded.
  private func meant(_ filter: EventFilter) async -> EventFilter {
    guard case .named(let users) = filter.by else { return filter }
    var meant = filter
    var names = users
    for user in users {
      if let uid = UInt32(user) { names.insert(await userNames.name(of: uid)) }
    }
    meant.by = .named(names)
    return meant
  }

  /// Returns what a copy of the ledger lacks. If it lacks nothing, it waits for a while first.
  func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    parts.changeLog.begin()
    if query.wait > 0 {
      await withTaskGroup { group in
        group.addTask { await parts.changeLog.wait(after: query.after, since: query.seen) }
        // Ignored: a sleep that is cancelled has lost against the other task.
        group.addTask { _ = try? await parts.machine.sleep(for: .seconds(query.wait)) }
        await group.next()
        group.cancelAll()
      }
    }
    // the positions are read first: a change during the read below is in the next answer
    let last = ledger.counts.lastEvent
    let oldest = max(0, last - JobLedger.eventsKept)
    let isReset = query.after > last || query.after < oldest
    let start = isReset ? oldest : query.after
    let page = parts.changeLog.page(since: query.seen, limit: ChangesQuery.limit)
    let numbers = page.jobs ?? []
    let found = try await ledger.changes(after: start, limit: ChangesQuery.limit, of: numbers)
    let there = Set(found.jobs.map(\.number))
    let isCut = found.upTo < last
    let counts = ledger.counts
    return ChangesMessage(
      ledger: identity, reset: isReset, events: found.events.map { Self.message($0) }, upTo: found.upTo, last: last,
      all: page.jobs == nil, jobs: found.jobs.map { message($0, counts) },
      gone: numbers.filter { !there.contains($0) }.map(\.rawValue), seen: page.seen, more: page.isCut || isCut)
  }

  private static func message(_ event: LoggedEvent) -> ChangesMessage.Event {
    switch event {
    case .job(let event): ChangesMessage.Event(event)
    case .occurrence(let occurrence): ChangesMessage.Event(EventMessage(occurrence))
    }
  }

  func message(_ event: LoggedEvent) -> EventMessage {
    switch event {
    case .job(let event): EventMessage(event, job: message(event.job))
    case .occurrence(let occurrence): EventMessage(occurrence)
    }
  }
}

private actor EventCursor {
  private static let page = 256

  private var position: Int64
  private var read: ArraySlice<LoggedEvent> = []
  private let filter: EventFilter
  private let commands: CommandService

  init(position: Int64, filter: EventFilter, commands: CommandService) {
    self.position = position
    self.filter = filter
    self.commands = commands
  }

  /// Returns the next events, and the sequence up to which all were read.
  private func page() async throws -> (ArraySlice<LoggedEvent>, Int64) {
    if filter.isEmpty {
      let page = try await commands.ledger.events(after: position, limit: Self.page)
      return (page.events[...], page.upTo)
    }
    let page = try await commands.ledger.log(filter, order: .oldest, after: position, limit: Self.page)
    return (page.events[...], page.next ?? max(position, page.last))
  }

  /// Returns the next event; nil when the reader has gone.
  func next() async throws -> EventMessage? {
    while read.isEmpty {
      await commands.parts.changeLog.wait(after: position)
      if Task.isCancelled { return nil }
      do {
        (read, position) = try await page()
      } catch {
        commands.parts.journal.error("the events cannot be read: \(error)")
        throw error
      }
    }
    return read.popFirst().map(commands.message)
  }
}

import ControlAPI
import Jobs
import Ledger
import Linux

extension CommandService {
  var identity: LedgerIdentityMessage {
    LedgerIdentityMessage(uuid: ledger.identity.uuid, generation: ledger.identity.generation)
  }

  /// Returns what a copy of the ledger lacks. If it lacks nothing, it waits for a while first.
  func changes(_ query: ChangesQuery) async throws -> ChangesMessage {
    await changeLog.begin(ledger)
    if query.wait > 0 {
      await withTaskGroup { group in
        group.addTask { await changeLog.wait(after: query.after, since: query.seen) }
        // Ignored: a sleep that is cancelled has lost against the other task.
        group.addTask { _ = try? await machine.sleep(for: .seconds(query.wait)) }
        await group.next()
        group.cancelAll()
      }
    }
    // the positions are read first: a change during the read below is in the next answer
    let last = ledger.counts.lastEvent
    let oldest = max(0, last - JobLedger.eventsKept)
    let isReset = query.after > last || query.after < oldest
    let start = isReset ? oldest : query.after
    let page = changeLog.page(since: query.seen, limit: ChangesQuery.limit)
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
}

import ControlAPI
import ControlServer
import Jobs
import Ledger
import Reports

extension CommandService {
  /// A reader's events from a place on: pages of the ledger, then each as it is committed.
  func events(from start: EventStart) async throws -> EventSubscription {
    let last = tail.last
    var position = last
    var isReset = false
    switch start {
    case .now: break
    case .since(let time): position = try await ledger.lastEvent(before: time)
    case .after(let sequence): position = sequence
    }
    let oldest = max(0, last - JobLedger.eventsKept)
    if position > last || position < oldest {
      position = oldest
      isReset = true
    }
    let cursor = EventCursor(position: position, commands: self)
    return EventSubscription(
      isReset: isReset, position: position, events: AsyncThrowingStream(unfolding: { try await cursor.next() }))
  }

  func message(_ event: LoggedEvent) -> EventMessage {
    switch event {
    case .job(let event): EventMessage(event, job: message(event.job))
    case .occurrence(let occurrence): EventMessage(occurrence)
    }
  }
}

/// One reader's place in the events.
private actor EventCursor {
  private static let page = 256

  private var position: Int64
  private var read: ArraySlice<LoggedEvent> = []
  private let commands: CommandService

  init(position: Int64, commands: CommandService) {
    self.position = position
    self.commands = commands
  }

  /// The next event; nil when the reader has gone.
  ///
  /// - Throws: the ledger's error, where it cannot be read.
  func next() async throws -> EventMessage? {
    while read.isEmpty {
      await commands.tail.wait(after: position)
      if Task.isCancelled { return nil }
      do {
        let page = try await commands.ledger.events(after: position, limit: Self.page)
        read = page.events[...]
        position = page.upTo
      } catch {
        commands.journal.error("the events cannot be read: \(error)")
        throw error
      }
    }
    return read.popFirst().map(commands.message)
  }
}

package import ControlAPI
package import Jobs
package import Messages
import Synchronization

/// All that keeps the daemon from working as it should, as long as it lasts: the one place that `status`, the operator's
/// page, the metrics and systemd's status line read.
///
/// A part that meets a problem sets it by its key, and clears the key once the problem is over.
package final class CurrentProblems: Sendable {
  /// The part that does not work. The raw value is the label of the metric.
  package enum Area: String, CaseIterable, Sendable {
    /// The configuration on disk was refused, or jobs need a spool that it does not have.
    case configuration
    /// The ledger cannot be written.
    case ledger
    /// Less than `min_free` is left for the ledger.
    case space
    /// A spool cannot be read, watched or emptied.
    case spool
    /// A key, token or secret cannot be read.
    case credentials
    /// The journal does not take entries.
    case journal
    /// A receiver of notices does not take them.
    case notices
  }

  /// A problem's identity: a second report of the same one changes its words and not its beginning.
  package struct Key: Hashable, Sendable {
    package let area: Area
    /// The spool, the storage, or the source of a credential; empty where there is only one.
    package let subject: String
    /// The cause, if several problems of one subject can exist at once.
    let cause: String

    package init(area: Area, subject: String = "", cause: String = "") {
      self.area = area
      self.subject = subject
      self.cause = cause
    }
  }

  private struct Problem {
    var what: Message
    var remedy: Message?
    let since: Timestamp
    let order: Int
  }

  private struct Contents {
    var current: [Key: Problem] = [:]
    var met = 0
    var updates: [@Sendable () -> Void] = []
    var listeners: [@Sendable () -> Void] = []
  }

  private let state = Mutex(Contents())
  private let clock: Clock

  package init(clock: Clock) { self.clock = clock }

  /// Has `listener` called whenever a problem comes or goes. It must not ask for the problems in that call.
  package func onChange(_ listener: @escaping @Sendable () -> Void) { state.withLock { $0.listeners.append(listener) } }

  /// Adds a check that is called whenever the problems are read. It sets or clears problems that an idle daemon does not meet.
  package func updateWhenRead(_ update: @escaping @Sendable () -> Void) { state.withLock { $0.updates.append(update) } }

  /// Sets a problem: what does not work, and what a person can do about it (nil for nothing); or clears it if there is none (nil).
  package func set(_ key: Key, _ what: Message?, remedy: Message?) {
    guard let what else { return clear(key) }
    let isNew = state.withLock { state -> Bool in
      if state.current[key] != nil {
        state.current[key]?.what = what
        state.current[key]?.remedy = remedy
        return false
      }
      state.met += 1
      state.current[key] = Problem(what: what, remedy: remedy, since: clock.now(), order: state.met)
      return true
    }
    if isNew { changed() }
  }

  package func clear(_ key: Key) {
    if state.withLock({ $0.current.removeValue(forKey: key) }) != nil { changed() }
  }

  /// Clears the problems of all subjects of an area but these: the others are not in use.
  package func keep(_ area: Area, only subjects: Set<String>) {
    let count = state.withLock { state -> Int in
      let before = state.current.count
      state.current = state.current.filter { $0.key.area != area || subjects.contains($0.key.subject) }
      return before - state.current.count
    }
    if count > 0 { changed() }
  }

  /// The present problems: first those of the configuration, which may explain others, then the oldest.
  package var messages: [ProblemMessage] { current.map(\.message) }

  /// The same, with keys and with numbers. A problem keeps its number while its words change; one that is over and comes back
  /// has another number.
  package var current: [(key: Key, number: Int, message: ProblemMessage)] {
    update()
    return state.withLock { $0.current.sorted { Self.rank($0) < Self.rank($1) } }.map { key, problem in
      let message = ProblemMessage(what: problem.what, since: problem.since, remedy: problem.remedy ?? .text(""))
      return (key, problem.order, message)
    }
  }

  private static func rank(_ entry: (key: Key, value: Problem)) -> (Int, Int) {
    (entry.key.area == .configuration ? 0 : 1, entry.value.order)
  }

  package var counts: [Area: Int] {
    update()
    return state.withLock { state in
      Dictionary(state.current.keys.map { ($0.area, 1) }, uniquingKeysWith: +)
    }
  }

  private func changed() { for listener in state.withLock(\.listeners) { listener() } }

  private func update() { for update in state.withLock(\.updates) { update() } }
}

package import Dispatch
package import Jobs
import Linux
import Synchronization

/// The names of users by id. A look-up may go over a network and hang (nsswitch.conf(5): LDAP and the like), so it has its own
/// thread and a time limit. A user whose name is not known in time is named by the digits of the id.
package final class UserNames: Sendable {
  private struct Contents {
    var known: [UInt32: (name: String, until: Timestamp)] = [:]
    var waiting: [UInt32: [UInt64: CheckedContinuation<String, Never>]] = [:]
    var lastTicket: UInt64 = 0
  }

  /// The time for which a name is kept.
  private static let validity = Duration.seconds(60)
  /// The most names that are kept.
  private static let mostKnown = 1024

  private let state = Mutex(Contents())
  private let queue = DispatchQueue(label: "waybill.names")
  private let look: @Sendable (UInt32) -> String
  private let patience: DispatchTimeInterval
  private let clock: Clock

  /// - Parameters:
  ///   - patience: the time that a caller waits for a name.
  ///   - look: returns the name of a user id, or its digits; may block.
  package init(
    clock: Clock, patience: DispatchTimeInterval = .seconds(2),
    look: @escaping @Sendable (UInt32) -> String = UserName.of
  ) {
    self.clock = clock
    self.patience = patience
    self.look = look
  }

  /// Returns the name of a user; the digits of the id if there is none, or if it does not come in time.
  package func name(of uid: UInt32) async -> String {
    if let name = known(uid) { return name }
    return await withCheckedContinuation { continuation in
      let (ticket, isFirst) = state.withLock { state in
        state.lastTicket += 1
        let isFirst = state.waiting[uid] == nil
        state.waiting[uid, default: [:]][state.lastTicket] = continuation
        return (state.lastTicket, isFirst)
      }
      if isFirst { queue.async { [self] in found(look(uid), uid) } }
      DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in self?.giveUp(uid, ticket) }
    }
  }

  private func known(_ uid: UInt32) -> String? {
    let now = clock.steady()
    return state.withLock { state in state.known[uid].flatMap { $0.until > now ? $0.name : nil } }
  }

  private func found(_ name: String, _ uid: UInt32) {
    let until = clock.steady() + Self.validity
    let waiting = state.withLock { state in
      if state.known.count >= Self.mostKnown { state.known = [:] }
      state.known[uid] = (name, until)
      return state.waiting.removeValue(forKey: uid) ?? [:]
    }
    for continuation in waiting.values { continuation.resume(returning: name) }
  }

  private func giveUp(_ uid: UInt32, _ ticket: UInt64) {
    // The entry stays while the look-up hangs, so that the next caller does not begin another one.
    let continuation = state.withLock { $0.waiting[uid]?.removeValue(forKey: ticket) }
    continuation?.resume(returning: String(uid))
  }
}

package import Dispatch
package import Jobs
import Linux
import Synchronization

/// The names of users by id. A look-up may go over a network and hang (nsswitch.conf(5): LDAP and the like), so it has its own
/// thread and a time limit. A user whose name is not known in time is named by the digits of the id.
package final class UserNames: Sendable {
  private static let validity = Duration.seconds(60)
  private static let mostKnown = 1024

  private let known = Mutex<[UInt32: (name: String, until: Timestamp)]>([:])
  /// Looks up one name after the other, so that one that hangs is not looked up again.
  private let queue = DispatchQueue(label: "waybill.names")
  private let look: @Sendable (UInt32) -> String
  private let patience: DispatchTimeInterval
  private let clock: Clock

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
    if let name = knownName(of: uid) { return name }
    let (answers, answer) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
    queue.async { [self] in answer.yield(knownName(of: uid) ?? foundName(of: uid)) }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { answer.yield(String(uid)) }
    for await first in answers { return first }
    return String(uid)
  }

  private func knownName(of uid: UInt32) -> String? {
    let now = clock.steady()
    return known.withLock { known in known[uid].flatMap { $0.until > now ? $0.name : nil } }
  }

  private func foundName(of uid: UInt32) -> String {
    let name = look(uid)
    let until = clock.steady() + Self.validity
    known.withLock { known in
      if known.count >= Self.mostKnown { known = [:] }
      known[uid] = (name, until)
    }
    return name
  }
}

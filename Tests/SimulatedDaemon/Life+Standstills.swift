import Daemon
import Delivery
import Jobs
import Ledger
import Simulation
import Synchronization

extension Life {
  func reach(_ name: String) { contents.withLock { $0.state.reach(name) } }

  /// The reason for which the gate of a destination is closed; nil if it is open.
  func gateReason(at destination: String?) -> Gate.Reason? {
    guard let daemon else { return nil }
    let gates = daemon.ledger.facts(in: daemon.pipeline.state).counts.gates
    return gates.first { $0.key.text == destination }?.value.closure?.reason
  }

  /// Asks what ends each job's standstill, at a moment at which nothing can be done before the clock goes on.
  ///
  /// - Parameter isLast: true at the last such moment of a life.
  func lookAtStandstills(isLast: Bool) {
    guard let daemon else { return }
    // It is not quiet then.
    if daemon.pipeline.state.isStopping { reach(Reach.standstill(Standstill.stopping.name)) }
    if daemon.ledger.isStalled { reach(Reach.standstill(Standstill.ledgerIsFull.name)) }
    guard world.isQuiet, looks.isDue(isLast: isLast) else { return }
    do {
      let found = try operations.leavingOut { try rows.look(at: daemon, isWhole: isLast) }
      guard let standstills = found else { return }
      looks.looked(at: standstills.jobs.count + standstills.cleanups.count)
      for standstill in standstills.jobs.map(\.standstill) + standstills.cleanups.map(\.standstill) {
        reach(Reach.standstill(standstill.name))
      }
      let hosts = world.network.hostsInFlight
      // An attempt ends by the configuration that it began with.
      let plans = contents.withLock { [$0.state.configuration, $0.state.scenario.configuration] }
      let fault = standstills.fault(longest: longestWait) { destination in
        // A request with a long body waits for one of half the places, any other one for one of all.
        if !hosts.isEmpty, hosts.count >= standstills.places / 2 { return true }
        return plans.contains { plan in plan.isAsked(destination, hosts) }
      }
      if let fault { violate(fault) }
    } catch is StandstillTable.Stale {
      violate("a job was changed, and no commit told of it")
    } catch {
      note("the standstills cannot be read: \(error)")
    }
  }
}

extension ConfigurationPlan {
  /// Returns true if one of these hosts is that of a destination, or of the backend that grants its uploads; for a destination that it does
  /// not have, if there is any.
  fileprivate func isAsked(_ destination: Destination, _ hosts: [String]) -> Bool {
    switch destination.kind {
    case .storage:
      guard let storage = storages.first(where: { $0.name == destination.name }) else { return !hosts.isEmpty }
      return hosts.contains(storage.host) || storage.grantor.map { isAsked(.backend($0), hosts) } ?? false
    case .backend:
      return backends.first { $0.name == destination.name }.map { hosts.contains($0.host) } ?? !hosts.isEmpty
    }
  }
}

/// The share of the quiet moments at which all unfinished jobs are looked at: each while there are few jobs.
final class StandstillLooks: Sendable {
  /// The number of jobs that are looked at for each moment that is passed over.
  private static let pace = 24

  private let left = Atomic(0)

  /// True if there is to be a look now.
  func isDue(isLast: Bool) -> Bool {
    let before = left.load(ordering: .relaxed)
    if before > 0 { left.store(before - 1, ordering: .relaxed) }
    return isLast || before <= 0
  }

  /// Notes the number of jobs of a look.
  func looked(at jobs: Int) { left.store(jobs / Self.pace, ordering: .relaxed) }
}

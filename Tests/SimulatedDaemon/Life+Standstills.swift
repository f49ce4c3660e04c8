import Daemon
import Delivery
import FoundationEssentials
import Jobs
import Ledger
import Simulation
import Synchronization

extension Life {
  func reach(_ name: String) { contents.withLock { $0.state.reach(name) } }

  func gateReason(at destination: String?) -> Gate.Reason? {
    guard let daemon else { return nil }
    let gates = daemon.ledger.facts(in: daemon.pipeline.state).counts.gates
    return gates.first { $0.key.text == destination }?.value.closure?.reason
  }

  /// The longest time until a gate has moved that waits for a key: a second until the key is looked at, and commits.
  private static let keyPatience: Int64 = 3_000_000

  /// Notes the gates that wait for the key of a host which is about to be put into its file, if the server takes no other.
  func noteNewKey(_ key: String, of host: String) {
    let file = URL(filePath: "\(root)/\(ConfigurationPlan.keyFile(of: host))")
    // Nothing follows from a file that is written anew with the same key.
    guard let daemon, (try? Data(contentsOf: file)) != Data((key + "\n").utf8),
      sides.all.contains(where: { $0.host == host && ($0.storage?.options.accessKeys ?? $0.backend?.tokens) == [key] })
    else { return }
    let (gates, plan) = (daemon.ledger.facts(in: daemon.pipeline.state).counts.gates, state.configuration)
    for (destination, gate) in gates
    where gate.closure?.reason == .credentials && gate.until != nil && plan.host(of: destination) == host {
      contents.withLock { $0.newKeys[destination] = (gate, world.elapsed) }
    }
  }

  /// Violated if a gate is as it was, and the new key has been there for long enough.
  private func lookAtNewKeys(_ standstills: Standstills) {
    for (destination, (gate, since)) in contents.withLock(\.newKeys) {
      let hasMoved = standstills.gates[destination] != gate
      if !hasMoved, !standstills.beginsNothing {
        guard world.elapsed - since > Self.keyPatience else { continue }
        violate("the gate of \(destination) does not see the new key: \(gate.state)")
      }
      if hasMoved { reach(Reach.Place.newKey.rawValue) }
      contents.withLock { $0.newKeys[destination] = nil }
    }
  }

  /// Asks what ends each job's standstill, at a moment at which nothing can be done before the clock goes on.
  func lookAtStandstills(isLast: Bool) {
    guard let daemon else { return }
    // It is not quiet then.
    if daemon.pipeline.state.isStopping { reach(Reach.standstill(Standstill.stopping.name)) }
    if daemon.ledger.isStalled { reach(Reach.standstill(Standstill.ledgerIsFull.name)) }
    guard world.isQuiet, looks.isDue(isLast: isLast) else { return }
    do {
      let found = try operations.leavingOut { try rows.look(at: daemon, isWhole: isLast) }
      guard var standstills = found else { return }
      lookAtNewKeys(standstills)
      let books = contents.withLock(\.state.books)
      standstills.jobs.removeAll { books.isDamaged($0.job.ticket.id.description) }
      standstills.cleanups.removeAll { books.isDamaged($0.cleanup.id.description) }
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
  fileprivate func host(of destination: Destination) -> String? {
    switch destination.kind {
    case .storage: storages.first { $0.name == destination.name }?.host
    case .backend: backends.first { $0.name == destination.name }?.host
    }
  }

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

  func isDue(isLast: Bool) -> Bool {
    let before = left.load(ordering: .relaxed)
    if before > 0 { left.store(before - 1, ordering: .relaxed) }
    return isLast || before <= 0
  }

  func looked(at jobs: Int) { left.store(jobs / Self.pace, ordering: .relaxed) }
}

package import HTTPTransfer
package import Jobs
import Ledger
import Settings
import Synchronization

/// The configuration in effect, and the slots for attempts in flight. A reload changes the slots and keeps their measured limits.
package final class CurrentConfiguration: Sendable {
  private struct Contents {
    var stages: Stages
    var slots: Slots
  }

  private let state: Mutex<Contents>
  /// The limits of requests a second, for the transport.
  package let rates: RequestRates

  /// Creates the state of a start, with the numbers of slots that memory and descriptors allow.
  package init(_ stages: Stages, memorySlots: Int, descriptorSlots: Int = .max, rates: RequestRates) {
    self.rates = rates
    rates.set(stages.configuration.rates)
    let slots = Slots(
      stages.configuration.daemon.concurrency, destinations: stages.destinations, memory: memorySlots,
      descriptors: descriptorSlots, now: stages.clock.steady())
    state = Mutex(Contents(stages: stages, slots: slots))
  }

  package var now: Stages { state.withLock { $0.stages } }

  var lanes: Lanes { state.withLock { $0.slots.lanes } }

  /// The number of requests that may be in flight: as many as there are slots.
  package var places: Int { lanes.all.slots }

  /// Makes new work use another configuration. Work in flight ends under the one that it began with.
  package func replace(with stages: Stages) {
    rates.set(stages.configuration.rates)
    state.withLock { state in
      state.stages = stages
      state.slots.configure(
        stages.configuration.daemon.concurrency, destinations: stages.destinations, now: stages.clock.steady())
    }
  }

  /// Updates the slots after the end of an attempt that had its slot since a time, and returns those that may be used now.
  /// - Parameter isHeld: true if its requests may have waited for a limit of requests a second.
  func ended(_ result: AttemptResult, of job: Job, since start: Timestamp, isHeld: Bool, now: Timestamp) -> Lanes {
    state.withLock { state in
      state.slots.ended(result, of: job, after: now - start, isHeld: isHeld, now: now)
      return state.slots.lanes
    }
  }

  /// Updates the slots after a commit, because their limits depend on where work waits, and returns those that may be used now.
  func adjustLimits(to counts: LedgerCounts) -> Lanes {
    state.withLock { state in
      if state.slots.isAdaptive {
        let held = Set(counts.gates.filter { $0.value.closure?.reason == .gateway }.keys)
        let now = state.stages.clock.steady()
        // More slots gain nothing while requests wait for their turn.
        state.slots.committed(counts.inFlight, held: held, now: now) {
          counts.canStart(at: $0) && rates.use(of: $0.text)?.waiting ?? 0 == 0
        }
      }
      return state.slots.lanes
    }
  }

  /// Returns the numbers of attempts that may be in flight at the destinations, in the order in which work is handed out. A destination has
  /// its own measured limit (`isAdaptive`), or shares the number with the others.
  package func limits() -> [(destination: Destination, limit: Int, isAdaptive: Bool)] {
    state.withLock { state in
      let lanes = state.slots.lanes
      return lanes.destinations.map { destination in
        let own = state.slots.limit(at: destination)
        return (destination, own?.limit ?? lanes.all.slots, own != nil)
      }
    }
  }
}

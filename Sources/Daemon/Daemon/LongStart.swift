package import Linux
import Synchronization

/// Asks systemd for more time to start, again and again until the start is over: the check of a large ledger, its counts and the recovery
/// of many files may each take longer than TimeoutStartSec=.
package final class LongStart: Sendable {
  package static let time = Duration.seconds(120)
  package static let interval = Duration.seconds(30)

  private let isOver = Atomic(false)
  private let line: WorkLine
  private let extend: @Sendable (Duration) -> Void

  package init(on machine: Machine, extend: @escaping @Sendable (Duration) -> Void) {
    line = WorkLine("waybill.start", on: machine)
    self.extend = extend
    ask()
  }

  private func ask() {
    if isOver.load(ordering: .relaxed) { return }
    extend(Self.time)
    line.add(after: Self.interval) { [weak self] in self?.ask() }
  }

  package func end() { isOver.store(true, ordering: .relaxed) }
}

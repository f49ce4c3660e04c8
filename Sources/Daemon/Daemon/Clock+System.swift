import Jobs
import Linux
import SystemdLink

extension Clock {
  /// Creates a clock from those of a machine.
  init(of machine: Machine) {
    self.init(
      now: { Timestamp(microseconds: machine.wall()) }, steady: { Timestamp(microseconds: machine.steady()) })
  }
}

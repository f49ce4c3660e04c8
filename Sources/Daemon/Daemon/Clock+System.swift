import Jobs
import Linux
import SystemdLink

extension Clock {
  /// The clocks of a machine.
  init(of machine: Machine) {
    self.init(
      now: { Timestamp(microseconds: machine.wall()) }, steady: { Timestamp(microseconds: machine.steady()) })
  }
}

import CSystemd
import Glibc
import Jobs
import Linux
import Messages
import Synchronization

/// Reports the state of the service to systemd (sd_notify(3)). Without NOTIFY_SOCKET each call does nothing.
public final class ServiceNotifier: Sendable {
  private struct Contents {
    var status: String?
    var reported: Int32 = 0
  }

  private let state = Mutex(Contents())
  private let failed: @Sendable (SystemdError) -> Void

  /// The maximum time between two calls of ``watchdog()``, from WATCHDOG_USEC; nil if systemd expects none (or WATCHDOG_PID names
  /// another process). Calls should come at half of this interval (sd_watchdog_enabled(3)).
  public let watchdogInterval: Duration?

  /// A notifier for this process. `failed` is called when a report fails, once for consecutive failures with the same errno.
  public init(failed: @escaping @Sendable (SystemdError) -> Void = { _ in }) {
    self.failed = failed
    var microseconds: UInt64 = 0
    let enabled = unsafe sd_watchdog_enabled(0, &microseconds) > 0
    watchdogInterval = enabled ? .microseconds(Int64(clamping: microseconds)) : nil
  }

  /// Reports that the service is up, so that units that wait for it may start. It also ends ``reloading()``.
  public func ready(status: String? = nil) { notify("READY=1", status: status) }

  /// Reports one line of text, shown by `systemctl status`. The same line is sent only once in a row.
  public func status(_ line: String) {
    let line = DisplayText.escape(line)
    let isNew = state.withLock { state -> Bool in
      defer { state.status = line }
      return state.status != line
    }
    if isNew { send("STATUS=\(line)") }
  }

  /// Reports that the configuration is being read again. ``ready(status:)`` must follow, whether or not that succeeds.
  ///
  /// MONOTONIC_USEC lets systemd distinguish this reload from an earlier one (Type=notify-reload).
  public func reloading() { send("RELOADING=1\nMONOTONIC_USEC=\(Clocks.monotonic())") }

  /// Reports that the service is stopping.
  public func stopping(status: String? = nil) { notify("STOPPING=1", status: status) }

  /// Reports that the service makes progress; must be called within ``watchdogInterval``.
  public func watchdog() { send("WATCHDOG=1") }

  /// Requests this much more time, from this moment, to start or to stop.
  public func extendTimeout(_ duration: Duration) {
    send("EXTEND_TIMEOUT_USEC=\(max(0, duration.nanoseconds / 1000))")
  }

  private func notify(_ assignment: String, status: String?) {
    guard let status else { return send(assignment) }
    let line = DisplayText.escape(status)
    state.withLock { $0.status = line }
    send("\(assignment)\nSTATUS=\(line)")
  }

  private func send(_ assignments: String) {
    let result = unsafe sd_notify(0, assignments)
    let code = result < 0 ? -result : 0
    let isNew = state.withLock { state -> Bool in
      defer { state.reported = code }
      return code != 0 && state.reported != code
    }
    if isNew { failed(SystemdError("sd_notify", assignments, code: code)) }
  }
}

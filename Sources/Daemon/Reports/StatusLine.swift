import ControlAPI
import Jobs
package import Ledger
package import Linux
import Messages
import Synchronization
package import SystemdLink

/// The line that `systemctl status` shows: the work in flight and the jobs that wait, updated at most once a second.
package final class StatusLine: Sendable {
  private let notifier: ServiceNotifier
  private let notice = Mutex<String?>(nil)
  private let alarm: Mutex<Alarm?> = Mutex(nil)
  private let activity: @Sendable () -> (uploads: Int, registrations: Int)
  private let ledger: JobLedger
  private let problems: CurrentProblems
  /// True once the daemon stops. The lock keeps what is sent in the order in which it happened.
  private let isStopping = Mutex(false)

  private static let mostProblems = 2

  package init(
    notifier: ServiceNotifier, problems: CurrentProblems, ledger: JobLedger, on machine: Machine,
    activity: @escaping @Sendable () -> (uploads: Int, registrations: Int)
  ) throws(FileError) {
    (self.notifier, self.activity, self.ledger, self.problems) = (notifier, activity, ledger, problems)
    let ring: @Sendable () -> Void = { [weak self] in self?.send() }
    let alarm = try Alarm("waybill.status", on: machine, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  package func touch() { alarm.withLock { $0 }?.setIfUnset(after: .seconds(1)) }

  /// Sets a sentence that comes first as long as the daemon runs.
  package func set(notice words: String) {
    notice.withLock { $0 = words }
    send()
  }

  private func send() { isStopping.withLock { notifier.status($0 ? ending : words) } }

  /// Reports that the daemon is stopping. From then on the line says only that.
  package func stop() {
    isStopping.withLock {
      $0 = true
      notifier.stopping(status: ending)
    }
  }

  private var ending: String {
    let activity = activity()
    return "stopping, \(activity.uploads + activity.registrations) in flight"
  }

  /// Reports that the service is ready, at the start or after a reload.
  package func ready() { isStopping.withLock { notifier.ready(status: $0 ? ending : words) } }

  private var words: String {
    let problems = self.problems.messages.map(\.what.text)
    let more = problems.count - Self.mostProblems
    let others = more > 0 ? ["and \(more) more: waybill status"] : []
    let first = [notice.withLock { $0 }].compactMap(\.self) + problems.prefix(Self.mostProblems) + others
    return (first + [Self.words(activity(), ledger.counts)]).joined(separator: "; ")
  }

  /// Returns the line, e.g. `uploading 3, registering 1, 14 queued, 2 awaiting confirmation: waybill ask`.
  package static func words(_ activity: (uploads: Int, registrations: Int), _ counts: LedgerCounts) -> String {
    var parts: [String] = []
    if counts.isPaused(.recovered) {
      let held = counts.movingByThemselves
      parts.append("\(held) held since the ledger was lost or restored: waybill resume --recovered")
    }
    parts += counts.pausedTargets.map(\.target).filter { $0 != .recovered }.map { "\($0.name) paused" }
    parts += counts.closedGates.map { "\($0.target.name) closed: \($0.reason.rawValue)" }
    if activity.uploads > 0 { parts.append("uploading \(activity.uploads)") }
    if activity.registrations > 0 { parts.append("registering \(activity.registrations)") }
    for state in waits where counts.jobs[state] > 0 {
      let words = "\(counts.jobs[state]) \(state.rawValue.replacing("-", with: " "))"
      parts.append(state.remedy.map { "\(words): \($0)" } ?? words)
    }
    return parts.isEmpty ? "idle" : parts.joined(separator: ", ")
  }

  private static let waits: [JobState] = [
    .queued, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted,
  ]
}

import Jobs
package import Ledger
import LinuxFiles
package import SystemdLink
import Synchronization
package import Threads

/// The line that `systemctl status` shows: what flows and what waits, told at most once a second.
package final class StatusLine: Sendable {
  private let notifier: ServiceNotifier
  private let notice = Mutex<String?>(nil)
  private let alarm: Mutex<Alarm?> = Mutex(nil)
  private let line: @Sendable () -> String
  private let problems: @Sendable () -> [String]

  /// The most problems that are shown in words; the others are counted.
  private static let mostProblems = 2

  /// - Parameters:
  ///   - problems: returns the standing problems, which come first in the line.
  ///   - line: returns the rest of the line as it is now.
  package init(
    notifier: ServiceNotifier, on machine: Machine, problems: @escaping @Sendable () -> [String],
    line: @escaping @Sendable () -> String
  ) throws(ThreadError) {
    self.notifier = notifier
    self.line = line
    self.problems = problems
    let ring: @Sendable () -> Void = { [weak self] in self?.send() }
    let alarm = try Alarm("waybill.status", on: machine, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  /// Says that something changed.
  package func touch() { alarm.withLock { $0 }?.setIfUnset(after: .seconds(1)) }

  /// Sets a sentence that comes first as long as the daemon runs.
  package func set(notice words: String) {
    notice.withLock { $0 = words }
    send()
  }

  private func send() { notifier.status(words) }

  /// The line as it is now.
  package var words: String {
    let problems = self.problems()
    let more = problems.count - Self.mostProblems
    let others = more > 0 ? ["and \(more) more: waybill status"] : []
    let first = [notice.withLock { $0 }].compactMap(\.self) + problems.prefix(Self.mostProblems) + others
    return (first + [line()]).joined(separator: "; ")
  }

  /// E.g. `uploading 3, registering 1, 14 queued, 2 awaiting confirmation: waybill ask`.
  package static func words(_ activity: (uploads: Int, registrations: Int), _ counts: LedgerCounts) -> String {
    var parts: [String] = []
    if counts.isPaused(.recovered) {
      let held = counts.movingByThemselves
      parts.append("\(held) held since the ledger was lost or restored: waybill resume --recovered")
    }
    parts += counts.pausedTargets.map(\.destination).filter { $0 != "recovered" }.map { "\($0) paused" }
    parts += counts.closedGates.map { "\($0.destination) closed: \($0.reason.rawValue)" }
    if activity.uploads > 0 { parts.append("uploading \(activity.uploads)") }
    if activity.registrations > 0 { parts.append("registering \(activity.registrations)") }
    for (state, words) in waits {
      let count = counts.jobs[state]
      if count > 0 { parts.append("\(count) \(words)") }
    }
    return parts.isEmpty ? "idle" : parts.joined(separator: ", ")
  }

  private static let waits: [(State, String)] = [
    (.queued, "queued"), (.deferred, "deferred"), (.awaitingConfirmation, "awaiting confirmation: waybill ask"),
    (.awaitingCredentials, "awaiting credentials: waybill credentials"), (.awaitingNetwork, "awaiting the network"),
    (.aborted, "aborted: waybill retry --state aborted"),
  ]
}

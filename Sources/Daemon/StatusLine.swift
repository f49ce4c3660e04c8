import Jobs
import Ledger
import LinuxFiles
import SystemdLink
import Synchronization

/// The line that `systemctl status` shows: what flows and what waits, told at most once a second.
final class StatusLine: Sendable {
  private let notifier: ServiceNotifier
  private let trouble = Mutex<String?>(nil)
  private let shortage = Mutex<String?>(nil)
  private let notice = Mutex<String?>(nil)
  private let alarm: Mutex<Alarm?> = Mutex(nil)
  private let line: @Sendable () -> String

  /// `line` gives what is true when it is asked.
  init(notifier: ServiceNotifier, clock: Clock, line: @escaping @Sendable () -> String) throws(FileError) {
    self.notifier = notifier
    self.line = line
    let ring: @Sendable () -> Void = { [weak self] in self?.tell() }
    let alarm = try Alarm("waybill.status", clock: clock, ring: ring)
    self.alarm.withLock { $0 = alarm }
  }

  /// Says that something changed.
  func touch() { alarm.withLock { $0 }?.setIfUnset(after: .seconds(1)) }

  /// What has to be said instead, while it lasts: trouble with the ledger.
  func set(trouble words: String?) {
    trouble.withLock { $0 = words }
    tell()
  }

  /// What has to be said first, while it lasts: too little space to admit files.
  func set(shortage words: String?) {
    shortage.withLock { $0 = words }
    tell()
  }

  /// What has to be said first as long as the daemon runs.
  func set(notice words: String) {
    notice.withLock { $0 = words }
    tell()
  }

  private func tell() { notifier.status(words) }

  /// The line as it is now.
  var words: String {
    let words = [notice.withLock { $0 }, shortage.withLock { $0 }, trouble.withLock { $0 } ?? line()]
    return words.compactMap(\.self).joined(separator: "; ")
  }

  /// E.g. `uploading 3, registering 1, 14 queued, 2 awaiting confirmation`.
  static func words(_ activity: (uploads: Int, registrations: Int), _ counts: LedgerCounts) -> String {
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
    (.queued, "queued"), (.deferred, "deferred"), (.awaitingConfirmation, "awaiting confirmation"),
    (.awaitingCredentials, "awaiting credentials"), (.awaitingNetwork, "awaiting the network"),
    (.aborted, "aborted"),
  ]
}

import Delivery
import HTTPTransfer
import Ledger
import Linux
import Reports
import SystemdLink

extension RunningDaemon {
  /// The longest time between two signs of life if systemd asks for none.
  static let longestSilence = Duration.seconds(30)

  /// Reports progress to systemd (`WatchdogSec=`) and to ``Health``, but only if the ledger's writer, the transfer thread and the
  /// pipeline have each made progress since the last report. If one of them hangs, the service is ended and started again.
  ///
  /// Runs until the task is cancelled. It reports four times as often as systemd asks for, so that a part that makes progress
  /// late is not taken for one that hangs.
  ///
  /// - Parameter isAsked: true if somebody may ask for the daemon's health. Without that, and without systemd's watchdog, there
  ///   is nothing to do.
  func reportProgress(isAsked: Bool) async {
    guard let interval = parts.notifier.watchdogInterval ?? (isAsked ? Self.longestSilence : nil) else { return }
    let transfers = Heartbeat()
    while !Task.isCancelled {
      // each is asked, whatever the others say
      let come = [
        ledger.makesProgress(), pipeline.makesProgress(),
        transfers.hasCome { parts.transport.comeBy(transfers.beat) },
      ]
      if come.allSatisfy(\.self) {
        health.noteProgress()
        parts.notifier.watchdog()
      }
      do {
        try await parts.machine.sleep(for: interval / 4)
      } catch {
        return
      }
    }
  }
}

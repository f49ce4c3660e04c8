import Delivery
import HTTPTransfer
import Ledger
import Linux
import SystemdLink

/// Reports progress to systemd (`WatchdogSec=`) and to ``Health``, but only if the ledger's writer, the transfer thread and the
/// pipeline have each made progress since the last report. If one of them hangs, the service is ended and started again.
struct Watchdog: Sendable {
  let notifier: ServiceNotifier
  let ledger: JobLedger
  let pipeline: Pipeline
  let transport: Transport
  let health: Health
  let machine: Machine

  /// The longest time between two reports if systemd asks for none.
  static let interval = Duration.seconds(30)

  /// Runs until the task is cancelled. It reports four times as often as systemd asks for, so that a part that makes progress
  /// late is not taken for one that hangs.
  ///
  /// - Parameter isAsked: true if somebody may ask for the daemon's health. Without that, and without systemd's watchdog, there
  ///   is nothing to do.
  func run(isAsked: Bool) async {
    guard let interval = notifier.watchdogInterval ?? (isAsked ? Self.interval : nil) else { return }
    let transfers = Heartbeat()
    while !Task.isCancelled {
      // each is asked, whatever the others say
      let come = [
        ledger.makesProgress(), pipeline.makesProgress(), transfers.hasCome { transport.run(transfers.beat) },
      ]
      if come.allSatisfy(\.self) {
        health.noteProgress()
        notifier.watchdog()
      }
      do {
        try await machine.sleep(for: interval / 4)
      } catch {
        return
      }
    }
  }
}

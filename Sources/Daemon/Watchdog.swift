import Delivery
import HTTPTransfer
import Ledger
import LinuxFiles
import SystemdLink
import Threads

/// Tells systemd that the daemon lives (`WatchdogSec=`), from progress: only while the ledger's writer, the transfer thread
/// and the pipeline have each come by since the last time. One that hangs has the service ended and started again.
struct Watchdog: Sendable {
  let notifier: ServiceNotifier
  let ledger: JobLedger
  let pipeline: Pipeline
  let transport: Transport

  /// Runs until the task is cancelled; without a watchdog it has nothing to do.
  ///
  /// It is told four times as often as systemd asks for, so that a part that comes by late is not taken for one that hangs.
  func run() async {
    guard let interval = notifier.watchdogInterval else { return }
    let transfers = Heartbeat()
    while !Task.isCancelled {
      // each is asked, whatever the others say
      let come = [
        ledger.comesBy(), pipeline.comesBy(), transfers.hasCome { transport.comeBy(transfers.beat) },
      ]
      if come.allSatisfy(\.self) { notifier.watchdog() }
      do {
        try await Task.sleep(for: interval / 4)
      } catch {
        return
      }
    }
  }
}

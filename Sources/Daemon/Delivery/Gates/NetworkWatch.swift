import Jobs
import Ledger
package import Linux
import Synchronization

/// Watches this machine's network: after a change, the destinations that wait for the network probe at once. While nothing
/// changes, no timer runs.
package actor NetworkWatch: PollThreadActor {
  package nonisolated let thread: PollThread
  private let changes: NetworkChanges
  private let changed: @Sendable () -> Void
  private let report: @Sendable (FileError) -> Void
  private var looks = NetworkLooks()

  /// - Parameters:
  ///   - changed: called on the thread of the watch when the network has changed, and again shortly after.
  ///   - report: takes an error that ends the watch.
  /// - Throws: ``FileError`` with EAFNOSUPPORT if the kernel does not let this process watch the network; ``ThreadError``.
  package init(
    changed: @escaping @Sendable () -> Void, report: @escaping @Sendable (FileError) -> Void
  ) throws {
    changes = try NetworkChanges()
    thread = try PollThread(name: "network")
    self.changed = changed
    self.report = report
  }

  /// Watches until the task is cancelled.
  package func run() async {
    thread.onWake { [weak self] in self?.assumeIsolated { $0.woke() } }
    thread.poll(changes.descriptor.number)
    let (end, ended) = AsyncStream.makeStream(of: Never.self)
    await withTaskCancellationHandler {
      for await _ in end {}
    } onCancel: {
      ended.finish()
    }
    thread.poll(nil)
    thread.setAlarm(nil)
  }

  private func woke() {
    do throws(FileError) {
      if try changes.drain() { looks.heard(at: .now) }
    } catch {
      thread.poll(nil)
      thread.setAlarm(nil)
      return report(error)
    }
    if looks.isDue(at: .now) { changed() }
    // One change causes many messages. Those of the change that is being reported must not wake the thread.
    thread.poll(looks.isListening ? changes.descriptor.number : nil)
    thread.setAlarm(looks.due)
  }
}

extension JobLedger {
  /// Makes the destinations that wait for the network probe at once.
  package func networkChanged() {
    let waiting = counts.gates.filter { $0.value.closure?.reason == .network }.map(\.key)
    if !waiting.isEmpty { networkChanged(waiting) }
  }
}

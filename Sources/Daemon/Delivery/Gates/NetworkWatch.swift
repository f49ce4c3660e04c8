import Jobs
import Ledger
package import Linux

/// Watches this machine's network: after a change, the destinations that wait for the network probe at once.
package actor NetworkWatch: PollThreadActor {
  package nonisolated let thread: PollThread
  private let changes: NetworkChanges
  private let changed: @Sendable () -> Void
  private let report: @Sendable (FileError) -> Void
  private var looks = NetworkLooks()

  /// - Parameters:
  ///   - changed: called on the thread of the watch when the network has changed, and again shortly after.
  ///   - report: takes an error that ends the watch.
  /// - Throws: ``FileError``, with EAFNOSUPPORT if the kernel does not let this process watch the network.
  package init(
    changed: @escaping @Sendable () -> Void, report: @escaping @Sendable (FileError) -> Void
  ) throws {
    changes = try NetworkChanges()
    thread = try PollThread(name: "network")
    self.changed = changed
    self.report = report
  }

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
    if looks.takeDue(at: .now) { changed() }
    // One change causes many messages. Those of the change that is being reported must not wake the thread.
    thread.poll(looks.due == nil ? changes.descriptor.number : nil)
    thread.setAlarm(looks.due)
  }
}

extension JobLedger {
  package func networkChanged() {
    let waiting = counts.gates.filter { $0.value.closure?.reason == .network }.map(\.key)
    if !waiting.isEmpty { networkChanged(waiting) }
  }
}

/// Decides when a change of the network is reported to the gates that wait for one.
struct NetworkLooks: Sendable {
  /// The times after a change at which it is reported: several, because links, addresses, routes and name servers come one after the other,
  /// and because an attempt that began before the change may still fail. Later changes until the last report count as the same one, so that
  /// a link that flaps causes few probes.
  static let pauses: [Duration] = [.milliseconds(500), .seconds(2), .seconds(10)]

  /// The change that is being reported: the time at which it was noticed, and the number of reports so far.
  private var change: (at: ContinuousClock.Instant, reports: Int)?

  /// The time of the next report; nil if there is nothing to report.
  var due: ContinuousClock.Instant? { change.map { $0.at + Self.pauses[$0.reports] } }

  mutating func heard(at now: ContinuousClock.Instant) {
    if change == nil { change = (now, 0) }
  }

  /// Counts a report of the change if one is due; returns true if it is.
  mutating func takeDue(at now: ContinuousClock.Instant) -> Bool {
    guard let due, due <= now, let (at, reports) = change else { return false }
    change = reports + 1 < Self.pauses.count ? (at, reports + 1) : nil
    return true
  }
}

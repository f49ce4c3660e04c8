import Jobs
import Ledger
import LinuxFiles
import Synchronization

/// Hears of changes of this machine's network, and has destinations that wait for one probe at once. Where nothing changes,
/// nothing ticks.
actor NetworkWatch: PollThreadActor {
  /// How long after a change it is told, and told again while a destination still waits: links, addresses, routes and
  /// name servers come one after the other, and an attempt may have begun before and still have to fail.
  static let looks: [Duration] = [.milliseconds(500), .seconds(2), .seconds(10)]

  nonisolated let thread: PollThread
  private let changes: NetworkChanges
  private let changed: @Sendable () -> Void
  private let report: @Sendable (FileError) -> Void
  /// When the change was heard of that is being told, and how often it was told.
  private var heard: (at: ContinuousClock.Instant, told: Int)?

  /// - Parameters:
  ///   - changed: called on a thread of its own when the network is another one than before; several changes shortly after each
  ///     other count as one.
  ///   - report: takes an error that ends the watch.
  /// - Throws: EAFNOSUPPORT where the kernel may not be asked.
  init(
    changed: @escaping @Sendable () -> Void, report: @escaping @Sendable (FileError) -> Void
  ) throws(FileError) {
    changes = try NetworkChanges()
    thread = try PollThread(name: "network")
    self.changed = changed
    self.report = report
  }

  /// Watches until the task is cancelled.
  func run() async {
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
      if try changes.take(), heard.map({ $0.told > 0 }) ?? true { heard = (.now, 0) }
    } catch {
      heard = nil
      thread.poll(nil)
      return report(error)
    }
    guard let (at, told) = heard else { return }
    if at + Self.looks[told] <= .now {
      changed()
      heard = told + 1 < Self.looks.count ? (at, told + 1) : nil
    }
    // What comes before a change is told belongs to it, and wakes nobody.
    thread.poll(heard?.told == 0 ? nil : changes.descriptor.number)
    thread.setAlarm(heard.map { $0.at + Self.looks[$0.told] })
  }
}

extension JobLedger {
  /// Has the destinations that wait for the network probe at once.
  func networkChanged() {
    let waiting = counts.gates.filter { $0.value.closure?.reason == .network }.map(\.key)
    if !waiting.isEmpty { networkChanged(waiting) }
  }
}

import ControlAPI
package import ControlServer
package import Delivery
import HTTPTransfer
import Jobs
package import Ledger
import Linux
import Reports
import Seams
import Settings
import Spool
import SystemdLink
import WebPages

#if canImport(Glibc)
  import Glibc
#endif

/// All parts of a running daemon, put together once at start. ``run(_:)`` is its lifetime: it ends all that it starts.
package struct RunningDaemon: Sendable {
  let parts: DaemonParts
  let commands: CommandService
  /// Nil if the kernel does not let the daemon watch the network.
  let network: NetworkWatch?
  /// Nil in a simulation.
  let socket: ListeningSocket?
  let health: Health
  let start: LongStart

  package var ledger: JobLedger { parts.ledger }
  package var pipeline: Pipeline { parts.pipeline }

  private enum End { case pipeline, other }

  /// Runs until a signal asks for the end, then lets requests in flight end within ``DaemonSettings/grace``.
  /// - Throws: an error that ends the daemon: the ledger's, that of a spool's failed fsync, or the control socket's.
  package func run(_ signals: AsyncStream<Int32>) async throws {
    defer {
      start.end()
      parts.transport.shutdown()
      parts.journal.flush()
    }
    try await withThrowingTaskGroup(of: End.self) { tasks in
      func begin(_ part: @escaping @Sendable () async throws -> Void) {
        tasks.addTask {
          try await part(); return .other
        }
      }
      // Probes of a container's manager are answered from the beginning.
      let metrics = parts.current.now.configuration.daemon.metrics
      if let metrics { begin { try await serveMetrics(at: metrics) } }
      try await parts.recovery.run()
      _ = try await parts.orphans.update()
      tasks.addTask {
        try await pipeline.run(); return .pipeline
      }
      begin { try await serve() }
      tasks.addTask(executorPreference: parts.transport.tasks) {
        try await parts.disposals.run(); return .other
      }
      let (hangups, hangup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
      begin { try await parts.history.run() }
      begin { try await parts.orphans.run() }
      begin { await parts.keys.run(ledger) }
      begin { await network?.run() }
      begin { await parts.notices.run() }
      begin { await reportProgress(isAsked: metrics != nil) }
      begin { try await parts.trouble.failWhenBroken() }
      begin { for await _ in hangups { try await reloadOnSignal() } }
      begin { try await live(signals, hangup) }
      while let end = try await tasks.next() {
        if end == .pipeline { break }
      }
      parts.changeLog.end()
      tasks.cancelAll()
    }
    Failpoint.drained.pass()
    try await parts.disposals.finish()
    do {
      try socket?.removeFile()
    } catch {
      parts.journal.notice("\(error); the next start replaces it")
    }
    try ledger.close()
  }

  private func serveMetrics(at address: ListenAddress) async throws {
    let names = MachineNames(clock: parts.clock)
    let listener = MetricsListener(
      host: address.host, port: address.port, metrics: { [commands] in try await commands.metrics() },
      faults: { [health] in health.faults }, obstacles: { [health] in health.obstacles },
      names: { asked in
        // the name of the configuration is known without a name server
        let known: Set<String> = [address.host.lowercased()]
        return known.contains(asked) ? known : await names.all().union(known)
      },
      connections: DescriptorPlan(DescriptorLimit.current).callers,
      report: { [parts] in parts.journal.error($0) })
    do {
      try await listener.run()
    } catch let error as MetricsListener.CannotListen {
      throw DaemonError(.unavailable, "daemon.metrics: \(address) cannot be listened on: \(error.words)")
    }
  }

  package var operations: any ControlOperations { commands }

  private func serve() async throws {
    guard let socket else { return }
    let server = ControlServer(
      descriptor: socket.descriptor, operations: operations,
      limits: ControlServer.Limits().within(DescriptorPlan(DescriptorLimit.current).callers),
      userName: commands.userNames.name,
      fleetUser: { [parts] in parts.current.now.configuration.daemon.fleetUser }, now: parts.clock.now,
      report: { [parts] in parts.journal.error($0) })
    try await server.run()
  }

  /// Claims files until a signal asks for the end. Then it begins nothing more, and cuts attempts that outlast the grace period.
  private func live(_ signals: AsyncStream<Int32>, _ hangup: AsyncStream<Void>.Continuation) async throws {
    // changes that wait in memory for space on the disk are done again at the next start
    let end = try Alarm("waybill.end", on: parts.machine, ring: { [ledger] in ledger.waitNoLonger() })
    // This function may end, and the alarm with it, before the alarm has rung on a busy machine.
    defer { withExtendedLifetime(end) { ledger.waitNoLonger() } }
    try await parts.intake.run(
      until: {
        await waitForStop(signals, hangup)
        end.set((parts.clock.steady() + grace).microseconds)
      }
    ) {
      start.end()
      parts.status.ready()
      health.isReady()
      parts.journal.log(.started, "waybilld \(Daemon.version) started", version: Daemon.version)
      pipeline.wake()
      ProcessMemory.returnFreeMemory()  // which only a start needs
      Failpoint.started.pass()
    }
    let inFlight = parts.activity.current.uploads + parts.activity.current.registrations
    health.isStopping()
    parts.status.stop()
    parts.notifier.extendTimeout(grace + .seconds(15))
    parts.journal.log(.stopping, "waybilld \(Daemon.version) stops, \(inFlight) in flight", version: Daemon.version)
    pipeline.drain()
    await parts.transport.endRateWaits()
    Failpoint.draining.pass()
    try await parts.machine.sleep(for: grace)  // cancelled as soon as the pipeline has ended
    pipeline.cutAll()
  }

  private var grace: Duration { parts.current.now.configuration.daemon.grace }

  /// Returns when a signal asks for the end. Each SIGHUP before that asks for a reload.
  private func waitForStop(_ signals: AsyncStream<Int32>, _ hangup: AsyncStream<Void>.Continuation) async {
    for await signal in signals {
      if signal != SIGHUP { return }
      hangup.yield()
    }
  }

  private func reloadOnSignal() async throws {
    do {
      _ = try await commands.configurationReload.run(by: nil)
    } catch is ProblemDocument {
      // the journal has it
    } catch is CancellationError {
      // on the way down
    }
  }
}

extension RunningDaemon {
  /// The longest time between two signs of life if systemd asks for none.
  static let longestSilence = Duration.seconds(30)

  /// Reports progress to systemd (`WatchdogSec=`) and to ``Health``, but only if the ledger's writer, the transfer thread and the
  /// pipeline have each made progress since the last report. If one of them hangs, the service is ended and started again.
  ///
  /// Runs until the task is cancelled. It reports four times as often as systemd asks for, so that a part that makes progress
  /// late is not taken for one that hangs.
  /// - Parameter isAsked: true if somebody may ask for the daemon's health. Without that, and without systemd's watchdog, there
  ///   is nothing to do.
  func reportProgress(isAsked: Bool) async {
    guard let interval = parts.notifier.watchdogInterval ?? (isAsked ? Self.longestSilence : nil) else { return }
    let transfers = Heartbeat()
    while !Task.isCancelled {
      // each is asked, whatever the others say
      let come = [
        ledger.makesProgress(), pipeline.makesProgress(),
        transfers.hasCome { parts.transport.run(transfers.beat) },
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

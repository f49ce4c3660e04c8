import ControlAPI
import ControlServer
import Jobs
import Linux
import Reports
public import SystemdLink

#if canImport(Glibc)
  import Glibc
#endif

/// The daemon as a process: builds its parts, runs them until a signal asks it to stop, and returns the exit status.
public enum Daemon {
  /// The version, as `--version`, the journal and `User-Agent` have it.
  public static let version = WaybillVersion.current

  /// Runs in the foreground until SIGTERM or SIGINT, with the waybill.toml at a path.
  public static func run(configuration: String, log: JournalFormat = .auto) async -> DaemonExit {
    do {
      ProcessMemory.forbidDumps()
      ProcessMemory.sharePools()
      DescriptorLimit.raise()
      signal(SIGPIPE, SIG_IGN)
      let signals = try CaughtSignals([SIGTERM, SIGINT, SIGHUP], ignored: true).stream()
      let journal = try JournalWriter(identifier: "waybilld", format: log, dropNotice: EventLog.dropNotice)
      let exit = await run(configuration, journal, signals)
      if await journal.flush(deadline: .now + .seconds(2)) == false {
        report("the journal did not take the last entries within 2 s")
      }
      // journald looks at the process to find the unit of an entry. It cannot do so once the process is gone, and
      // "systemctl status" would not show why there is no daemon.
      if exit != .done, journal.standardErrorIsJournal { try await Task.sleep(for: .milliseconds(200)) }
      return exit
    } catch {
      report("\(error)")
      return .unavailable
    }
  }

  private static func run(_ path: String, _ journal: JournalWriter, _ signals: AsyncStream<Int32>) async -> DaemonExit {
    var passed: [ListeningSocket] = []
    do {
      passed = try PassedSockets.adopt()
      let daemon = try RunningDaemon.build(
        configuration: path, on: .system, journal: journal, passed: passed)
      try await daemon.run(signals)
      return .done
    } catch {
      let end = DaemonError(error)
      var entry = JournalEntry(message: end.words, priority: .err)
      entry.append("EXIT_STATUS", Int(end.exit.rawValue))
      journal.send(entry)
      // The reason is also for the person who started the daemon by hand.
      if !journal.standardErrorHasEntries { report(end.words) }
      // After any other end systemd restarts the daemon, which then answers the callers that wait.
      if end.exit == .configuration { StartFailureAnswer.send(end.words, at: passed) }
      return end.exit
    }
  }

  static func report(_ words: String) {
    var output = StandardError()
    output.write("waybilld: \(words)\n")
  }
}

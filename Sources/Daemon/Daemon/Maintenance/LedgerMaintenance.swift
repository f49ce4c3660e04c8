import FoundationEssentials
import Jobs
import Ledger
import Linux
import Settings

/// The operator's tasks on the ledger, with or without a running daemon: `waybilld ledger`.
public struct LedgerMaintenance {
  let configuration: Configuration
  let say: (String) -> Void
  let complain: (String) -> Void

  private var state: String { configuration.daemon.state }

  /// Carries out a task on the ledger of a configuration, and writes the result line by line, errors by `complain`.
  public static func run(
    _ task: Task, configuration path: String, say: @escaping (String) -> Void, complain: @escaping (String) -> Void
  ) -> DaemonExit {
    do {
      let configuration = try Configuration.load(
        path: path, environment: ProcessInfo.processInfo.environment, readingCredentials: false)
      let maintenance = LedgerMaintenance(configuration: configuration, say: say, complain: complain)
      switch task {
      case .check: return try maintenance.check()
      case .backup(let target): return try maintenance.backUp(to: target)
      case .restore(let backup): return try maintenance.restore(backup)
      }
    } catch {
      let (status, words) = exit(error)
      complain(words)
      return status
    }
  }

  /// The tasks.
  public enum Task: Sendable {
    /// Check the ledger.
    case check
    /// Copy the ledger to a file that does not exist yet.
    case backup(to: String)
    /// Put a copy in the ledger's place.
    case restore(String)
  }

  private func check() throws -> DaemonExit {
    let path = LedgerCheck.path(in: state)
    // its error says better than SQLite's why the file cannot be used
    _ = try OpenFile(following: Array(path.utf8))
    var check: LedgerCheck?
    var faults: [String] = []
    do throws(LedgerError) {
      let opened = try LedgerCheck(path: path)
      faults += try opened.faults()
      check = opened
    } catch {
      guard error.kind == .damaged else { throw error }
      faults.append(error.words)
    }
    if let fault = try check?.logFault() { faults.append(fault) }
    for fault in faults { say("! \(fault)") }
    guard let check, faults.isEmpty else {
      say("\(path) is damaged: \(Self.damageAdvice)")
      return .refused
    }
    say("\(path) is whole; jobs: \(try check.count())")
    return .done
  }

  private static let damageAdvice =
    "waybilld puts it aside at its next start and builds a new one from the files in the spools; "
    + "stop waybilld and use \"waybilld ledger restore\" to put a backup in its place"

  private func backUp(to target: String) throws -> DaemonExit {
    try LedgerBackup.make(ofLedgerIn: state, to: target)
    say("\(target) is made; jobs: \(try LedgerCheck(path: target).count())")
    return .done
  }

  private func restore(_ backup: String) throws -> DaemonExit {
    let now = Timestamp(microseconds: Machine.system.wall())
    let restored = try LedgerBackup.restore(backup, ofLedgerIn: state, now: now)
    say("\(LedgerCheck.path(in: state)) is \(backup) now; jobs: \(restored.jobs)")
    if let previous = restored.previous { say("The ledger that was there is \(previous)") }
    say("Jobs that stay aborted, cancelled, discarded or asked about, as it says: \(restored.stopped)")
    say("If jobs would go on by themselves, waybilld claims and sends nothing at its next start: answers may be lost.")
    say("- look at the jobs (waybill list), cancel what is not to be sent, and say waybill resume --recovered")
    say("- files in .waybill that the backup does not know are admitted under the ids that they carry")
    say("- jobs that were registered since the backup are registered again, with the same id and Idempotency-Key")
    say("- jobs whose file is gone, because they were finished since, ask a question: cancel them")
    return .done
  }

  private static func exit(_ error: any Error) -> (DaemonExit, String) {
    switch error {
    case let error as LedgerError:
      switch error.kind {
      case .configuration: (.configuration, error.words)
      case .inUse: (.refused, error.words + ": stop it first (systemctl stop waybill.socket waybill.service)")
      case .damaged: (.refused, error.words)
      case .unavailable, .broken, .full: (.ioError, error.words)
      }
    case let error as FileError:
      switch error.code {
      case "EACCES", "EPERM": (.notPermitted, error.words)
      case "EEXIST", "ENOENT": (.refused, error.words)
      default: (.ioError, error.words)
      }
    case let error as ConfigurationError: (.configuration, "\(error)")
    default: (.ioError, "\(error)")
    }
  }
}

import Ledger
import Linux
import Settings
import Spool
import SystemdLink

/// The reason why the daemon does not start, or ends: the text for the person who runs it, and the exit status.
package struct DaemonError: Error {
  package let exit: DaemonExit
  package let words: String

  init(_ exit: DaemonExit, _ words: String) {
    self.exit = exit
    self.words = words
  }

  /// Adapts any error of a part of the daemon, with the exit status that fits.
  package init(_ error: any Error) {
    switch error {
    case let error as DaemonError: self = error
    case let error as ConfigurationError: self.init(Self.exit(mayPass: error.mayPass), "\(error)")
    case let error as SpoolProblem where error.cause == .sync: self.init(.ioError, "\(error)")
    case let error as SpoolProblem: self.init(Self.exit(mayPass: error.errno.map(FileError.mayPass)), "\(error)")
    case let error as LedgerError:
      switch error.kind {
      case .configuration, .inUse: self.init(.configuration, error.words)
      case .unavailable: self.init(.unavailable, error.words)
      case .broken, .damaged, .full: self.init(.ioError, error.words)
      }
    case let error as SystemdError: self.init(Self.exit(mayPass: FileError.mayPass(error.code)), "\(error)")
    default: self.init(.unavailable, "\(error)")
    }
  }

  /// Returns the status for an error at a start: if the error may pass, systemd restarts the daemon; otherwise a person has to
  /// act.
  private static func exit(mayPass: Bool?) -> DaemonExit { mayPass == true ? .unavailable : .configuration }
}

/// The end of the daemon, or of a task of ``LedgerMaintenance``, by the numbers of sysexits.h where there is one.
public enum DaemonExit: Int32, Sendable {
  /// Stopped when it was asked to; the task is done, or the ledger is as it should be.
  case done = 0
  /// The ledger has faults, or is in use, or a name is taken.
  case refused = 1
  /// Something that the daemon needs failed with an error that may pass: threads, descriptors, memory, or a file of its own. A
  /// restart may help, and systemd makes one.
  case unavailable = 69
  /// A write or fsync of the ledger failed; a restart recovers.
  case ioError = 74
  /// The caller of a task may not read or write the files.
  case notPermitted = 77
  /// The configuration or the ledger cannot be used as it is, or another daemon has a spool. A restart will not help.
  case configuration = 78
}

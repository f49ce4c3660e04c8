import Ledger
import Settings
import Spool
import SystemdLink

/// Why the daemon does not start, or ends: the words for the person who runs it and the status it ends with.
package struct DaemonError: Error {
  package let exit: DaemonExit
  package let words: String

  init(_ exit: DaemonExit, _ words: String) {
    self.exit = exit
    self.words = words
  }

  /// Finds the exit status for an error from a part of the daemon.
  package init(_ error: any Error) {
    switch error {
    case let error as DaemonError: self = error
    case let error as ConfigurationError: self.init(.configuration, "\(error)")
    case let error as SpoolProblem where error.cause == .sync: self.init(.ioError, "\(error)")
    case let error as SpoolProblem: self.init(.configuration, "\(error)")
    case let error as LedgerError:
      switch error.kind {
      case .configuration, .inUse: self.init(.configuration, error.words)
      case .broken, .damaged, .full: self.init(.ioError, error.words)
      }
    case let error as SystemdError: self.init(.configuration, "\(error)")
    default: self.init(.unavailable, "\(error)")
    }
  }
}

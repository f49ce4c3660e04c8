/// The end of the daemon, by the numbers of sysexits.h.
public enum DaemonExit: Int32, Sendable {
  /// Stopped when it was asked to.
  case done = 0
  /// Something that the daemon needs failed with an error that may pass: threads, descriptors, memory, or a file of its own. A
  /// restart may help, and systemd makes one.
  case unavailable = 69
  /// A write or fsync of the ledger failed; a restart recovers.
  case ioError = 74
  /// The configuration or the ledger cannot be used as it is, or another daemon has a spool. A restart will not help.
  case configuration = 78
}

import FoundationEssentials
import Glibc
import Seams

#if DEBUG || SIMULATION
  import Linux
#endif

/// The disk of the ledger or of the archives, which may be full: then no write to a file on it finds space.
enum FullDisk {
  /// Has writes below a folder watched from now on, if they are to fail some day. SQLite has to be told before it opens a file. The
  /// daemon, which is built after that, has a watchdog then, as under systemd: what else hangs leaves a job that does not move.
  static func watch(_ folder: String, if mayBeFull: Bool) {
    if mayBeFull { unsafe setenv("WATCHDOG_USEC", "120000000", 1) }
    #if DEBUG || SIMULATION
      // Archives may be on another file system.
      let place = (try? FileManager.default.destinationOfSymbolicLink(atPath: folder)) ?? folder
      DiskSpace.watch(mayBeFull ? place : nil)
    #endif
  }

  static func set(_ isFull: Bool) {
    #if DEBUG || SIMULATION
      DiskSpace.set(isFull: isFull)
    #endif
  }
}

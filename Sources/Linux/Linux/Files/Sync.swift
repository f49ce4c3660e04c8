import Glibc

/// Every place where this program waits for a disk, by what would be lost without it. Each is taken away in turn by
/// `scripts/without-each-sync`, which fails if no test of the power cut notices.
public enum Sync: String, CaseIterable, Sendable {
  /// The directories that were made for claims with a path or a long name.
  case claimFolders = "claim-folders"
  /// The directories of a recursive spool that claimed files came from.
  case claimSources = "claim-sources"
  /// The spool that claimed files came from.
  case claimSpool = "claim-spool"
  /// `.waybill`, where claimed files stand.
  case claimPlace = "claim-place"
  /// The directory of claimed sidecars, before their documents are claimed.
  case sidecarPlace = "sidecar-place"
  /// The directories above it, when it is made.
  case sidecarShelf = "sidecar-shelf"
  /// The whole file system, in place of very many directories.
  case claimFileSystem = "claim-file-system"
  /// All of these for files that got the id that they asked for.
  case adoption
  /// All of these for files that got another id at start.
  case recovery
  /// All of these for a file that was written to after its upload, and became a job of its own.
  case readmission
  /// `.waybill`, before rows of jobs whose files were removed leave the ledger.
  case removals
  /// The bytes of a copy that goes into an archive or back to people.
  case copy
  /// The mark in `.waybill` that a copy is about to get its name in the archive.
  case archiveMark = "archive-mark"
  /// The archive, before the claimed name goes.
  case archiveEntry = "archive-entry"
  /// A directory in which one below an archive was made.
  case archiveFolder = "archive-folder"
  /// The directory that a file was given back to.
  case releaseEntry = "release-entry"
  /// The bytes of a record beside a claimed file in a shared spool.
  case recordBytes = "record-bytes"
  /// `.waybill`, where the record got its name.
  case recordEntry = "record-entry"
  /// `.waybill`, where the record of a stopped job was removed.
  case recordRemoval = "record-removal"
  /// The file that names the holder of a shared spool, and `.waybill` where it stands.
  case holder
  /// The bytes of a file that `waybill add` put into a spool.
  case addedFile = "added-file"
  /// The spool that `waybill add` put it into.
  case addedEntry = "added-entry"
  /// The bytes of a configuration that `waybill check --write` has changed.
  case configurationFile = "configuration-file"
  /// The directory of that configuration.
  case configurationEntry = "configuration-entry"
  /// SQLite's own, at each commit and checkpoint.
  case ledger
  /// The bytes of a copy of the ledger.
  case backupFile = "backup-file"
  /// The directory of a copy of the ledger.
  case backupEntry = "backup-entry"
  /// The bytes of a ledger that is put in place of another.
  case restoredFile = "restored-file"
  /// The state directory, where it is put.
  case restoredEntry = "restored-entry"

  /// True if it is done. Debug builds leave out the one that `WAYBILL_WITHOUT_SYNC` names; release builds none.
  public var isDone: Bool {
    #if DEBUG
      return self != Self.omitted
    #else
      return true
    #endif
  }

  #if DEBUG
    private static let omitted: Sync? = {
      guard let name = unsafe getenv("WAYBILL_WITHOUT_SYNC") else { return nil }
      return unsafe Sync(rawValue: String(cString: name))
    }()
  #endif
}

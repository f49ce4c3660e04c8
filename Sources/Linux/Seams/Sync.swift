import Glibc

/// Every fsync of this program, named by what would be lost without it. `scripts/without-each-sync` removes each of them in turn,
/// and fails if no power-cut test notices.
public enum Sync: String, CaseIterable, Sendable {
  /// The directories that were created for claims with a path or a long name.
  case claimFolders = "claim-folders"
  /// The directories of a recursive spool that claimed files came from.
  case claimSources = "claim-sources"
  /// The spool that claimed files came from.
  case claimSpool = "claim-spool"
  /// `.waybill`, which contains the claimed files.
  case claimPlace = "claim-place"
  /// The directory of claimed sidecars, before their documents are claimed.
  case sidecarPlace = "sidecar-place"
  /// The directories above that one, when it is created.
  case sidecarShelf = "sidecar-shelf"
  /// The whole file system, instead of very many directories.
  case claimFileSystem = "claim-file-system"
  /// `.waybill` and its directories, for files that got the id they asked for.
  case adoption
  /// The same for files that got another id at the start.
  case recovery
  /// The same for a file that was written to after its upload and became a new job.
  case readmission
  /// `.waybill`, before the rows of jobs whose files were removed are deleted from the ledger.
  case removals
  /// The bytes of a copy for an archive or a release.
  case copy
  /// The mark in `.waybill`, before a copy gets its name in the archive.
  case archiveMark = "archive-mark"
  /// The archive, before the claimed name is removed.
  case archiveEntry = "archive-entry"
  /// The directory in which a directory below an archive was created.
  case archiveFolder = "archive-folder"
  /// The directory that a file was released to.
  case releaseEntry = "release-entry"
  /// The bytes of a file that `waybill add` has put into a spool.
  case addedFile = "added-file"
  /// The spool that `waybill add` has put a file into.
  case addedEntry = "added-entry"
  /// The bytes of a file that `waybill init` or `waybill spool add` has made.
  case configurationFile = "configuration-file"
  /// The directory of such a file, or of a spool that was made.
  case configurationEntry = "configuration-entry"
  /// SQLite's own fsyncs, at each commit and checkpoint.
  case ledger
  /// The bytes of a copy of the ledger.
  case backupFile = "backup-file"
  /// The directory of a copy of the ledger.
  case backupEntry = "backup-entry"
  /// The bytes of a ledger that replaces another one.
  case restoredFile = "restored-file"
  /// The state directory, after such a replacement.
  case restoredEntry = "restored-entry"

  /// True if the fsync is to be made. Debug builds omit the one that `WAYBILL_WITHOUT_SYNC` names; release builds omit none.
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

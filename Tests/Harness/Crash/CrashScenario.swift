import Foundation

/// A few files and what is done with them, so that the daemon reaches certain places. `CrashRow` has the same for the simulation.
enum CrashScenario {
  /// Three small files, one of them from a directory below the spool, one with an id that it asks for; the first upload
  /// fails once.
  case plain
  /// A file in parts, the second of which fails once.
  case parts
  /// A file in parts that are refused, cancelled.
  case partsCancelled
  /// Files that are archived in the same file system.
  case archive
  /// Files that are archived in another one.
  case archiveElsewhere
  /// A file that is written to after its upload.
  case rewritten
  /// Files that the backend refuses, cancelled in each way, and then discarded and given back.
  case cancelled
  /// One that cannot be given back.
  case releaseRefused
  /// Documents with sidecars: in the spool, below it, and one with an id that it asks for.
  case sidecars
  /// The same, archived in the same file system.
  case sidecarsArchived
  /// The same, archived in another one.
  case sidecarsArchivedElsewhere
  /// Documents with sidecars that the backend refuses, cancelled, and then kept, discarded and given back.
  case sidecarsCancelled
  /// A group of files, one of which fails once.
  case group
  /// A group that is archived in the same file system.
  case groupArchived
  /// The same in another one.
  case groupArchivedElsewhere
  /// A group that is written to after its upload.
  case groupRewritten
  /// Groups that the backend refuses, cancelled in each way, and then kept, discarded and given back.
  case groupsCancelled
  /// A storage that is unavailable for a moment.
  case unavailable
  /// A pause and its end.
  case pause
  /// A spool that comes by a reload.
  case reload
  /// Jobs that leave the ledger as soon as they are done.
  case history

  /// What goes wrong at the server meanwhile.
  var faults: JSONValue? {
    switch self {
    case .group: ["upload": ["statuses": [200, 500]]]
    case .plain: ["upload": ["statuses": [500]]]
    case .parts: ["part": ["statuses": [200, 500]]]
    case .partsCancelled: ["part": ["status": 422]]
    case .rewritten: ["register": ["status": 422]]
    case .cancelled, .releaseRefused, .sidecarsCancelled, .groupsCancelled, .groupRewritten:
      ["register": ["status": 422]]
    case .unavailable: ["upload": ["statuses": [503], "retry_after": 1]]
    case .archive, .archiveElsewhere, .pause, .reload, .history, .sidecars, .sidecarsArchived,
      .sidecarsArchivedElsewhere, .groupArchived, .groupArchivedElsewhere:
      nil
    }
  }
}

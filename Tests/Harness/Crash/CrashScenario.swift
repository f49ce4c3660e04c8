import Foundation

/// A few files and what is done with them, so that the daemon reaches certain places. `CrashRow` has the same for the simulation.
enum CrashScenario {
  /// Three small files, one of them from a directory below the spool, one with an id that it asks for; the first upload
  /// fails once.
  case plain
  case parts
  case archive
  case archiveElsewhere
  /// Files that the backend refuses, cancelled in each way, and then discarded and given back.
  case cancelled
  /// Documents with sidecars: in the spool, below it, and one with an id that it asks for.
  case sidecars
  case sidecarsArchivedElsewhere
  case group
  case reload
  /// Small files whose uploads the backend grants; the first PUT fails once.
  case granted
  /// A file that is granted in parts, the second of which fails once.
  case grantedParts

  var faults: JSONValue? {
    switch self {
    case .group: ["upload": ["statuses": [200, 500]]]
    case .plain, .granted: ["upload": ["statuses": [500]]]
    case .parts, .grantedParts: ["part": ["statuses": [200, 500]]]
    case .cancelled: ["register": ["status": 422]]
    case .archive, .archiveElsewhere, .reload, .sidecars, .sidecarsArchivedElsewhere: nil
    }
  }

  var sandbox: [String] { self == .grantedParts ? ["--grant-part", "5242880"] : [] }
}

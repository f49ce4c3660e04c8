/// A file that somebody drops into a spool, a file with its sidecar, or a directory that is a group.
package struct Drop: Codable, Hashable, Sendable {
  package enum Kind: Codable, Hashable, Sendable {
    case single
    /// A document `NAME` with its sidecar `NAME.json`.
    case withSidecar(sidecarFirst: Bool)
    /// A directory of that many files and the marker that completes it.
    case group(files: Int)
  }

  /// The ways in which programs write into a spool.
  package enum Manner: Codable, Hashable, Sendable {
    /// Written under its name, at once.
    case direct
    /// Written under a hidden name, and renamed.
    case renamedIn
    /// Written under a name outside of the spool that stays, and linked in. So its dropper can write to it for ever.
    case linked
    /// Written under its name in pieces, by a program that keeps it open.
    case inPieces(count: Int, pause: Duration)
  }

  /// The file's number in the scenario, from 1.
  package var number: Int
  /// The spool's directory, as ``SpoolPlan/directory``.
  package var spool: String
  /// The directory below it, with a slash at its end; empty for none.
  package var folder: String
  /// The name of the file or directory. No two drops have the same.
  package var name: String
  package var kind: Kind
  package var manner: Manner
  /// The number of bytes of each of its files, but for sidecars and markers.
  package var size: Int
  /// The number of the drop whose bytes it has; nil for its own.
  package var sameAs: Int?
  /// The id that the file asks for in its attribute.
  package var wantedID: String?

  package init(
    number: Int, spool: String, folder: String = "", name: String, kind: Kind = .single, manner: Manner = .direct,
    size: Int
  ) {
    self.number = number
    self.spool = spool
    self.folder = folder
    self.name = name
    self.kind = kind
    self.manner = manner
    self.size = size
  }

  /// The directory for files that are not in the spool yet, or that keep a name outside of it. From the world's root.
  package static let outside = "outside"

  package var path: String { "\(spool)/\(folder)\(name)" }
}

extension Drop: CustomStringConvertible {
  /// The same in words. A scenario has hundreds of them, and to have the compiler make them up takes long.
  package var description: String {
    "\(number): \(spool)/\(folder)\(name), \(kind), \(manner), \(size) bytes"
      + (wantedID.map { ", asks for \($0)" } ?? "")
  }
}

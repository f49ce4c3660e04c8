import Glibc
public import Jobs
public import Linux

/// A claimed sidecar whose document is not claimed: a crash came between the two, or the document was disposed of.
public struct StrandedSidecar: Hashable, Sendable {
  /// The pattern of its name.
  public let pattern: SidecarPattern
  /// The id under which it was claimed.
  public let id: JobID
  /// The name of its document, preceded by the path in the spool.
  public let document: FileName
  /// True if the same file is claimed under another id too.
  public let stands: Bool
}

/// A walk through the claimed sidecars of a spool whose documents are not in `.waybill`. Those that it has returned may be moved or removed.
package struct StrandedSidecars: BatchedWalk {
  /// Nil after the last one: a finished object must not keep the spool's lock open.
  private var held: LockedSpool?
  private var shelves: [(pattern: SidecarPattern, directory: Directory, names: ClaimedNames)] = []

  init(_ held: LockedSpool) throws(FileError) {
    self.held = held
    for (pattern, directory) in try held.shelves() {
      shelves.append((pattern, directory, try ClaimedNames(in: directory)))
    }
  }

  package mutating func next() throws(FileError) -> StrandedSidecar? {
    while let held, let (pattern, shelf, _) = shelves.last {
      guard let found = try shelves[shelves.count - 1].names.next() else {
        shelves.removeLast()
        continue
      }
      let (id, document) = (found.id, found.dropped)
      guard try !held.stands(ClaimReference(id, document)), let facts = try shelf.facts(of: id, document) else {
        continue
      }
      let stands = try Self.stands(facts, under: id, document, in: shelf)
      return StrandedSidecar(pattern: pattern, id: id, document: document, stands: stands)
    }
    (held, shelves) = (nil, [])
    return nil
  }

  /// True if a sidecar with these facts also exists under another id, as it does while its document gets that id. A link that
  /// somebody else has made does not count.
  private static func stands(
    _ facts: FileFacts, under id: JobID, _ document: FileName, in shelf: Directory
  ) throws(FileError) -> Bool {
    guard facts.links > 1 else { return false }
    let listing = try shelf.listing()
    while let entry = try listing.next() {
      guard let other = ClaimedPath.id(ofTop: entry.name), other != id else { continue }
      if try shelf.facts(of: other, document)?.isSameFile(as: facts) == true { return true }
    }
    return false
  }
}

extension SpoolDirectory {
  /// Begins a search for claimed sidecars whose documents are not in `.waybill`.
  package func strandedSidecars() throws(FileError) -> Batches<StrandedSidecars> {
    Batches(try StrandedSidecars(try held()))
  }

  /// Puts a stranded sidecar back into the directory that its document came from. If it is claimed under another id too, it is
  /// only removed under this one.
  ///
  /// - Returns: the problem, if its name is taken or the directory is gone. The sidecar stays claimed then.
  public func putBack(_ sidecar: StrandedSidecar) throws(FileError) -> SpoolProblem? {
    let held = try held()
    if sidecar.stands {
      try held.removeSidecar(sidecar.pattern, sidecar.id, sidecar.document)
      return nil
    }
    let problem = SpoolProblem.strandedSidecar(options, sidecar.pattern.sidecar(of: sidecar.document))
    let folder = try unless(ENOENT, ENOTDIR, ELOOP) { () throws(FileError) in try held.source(of: sidecar.document) }
    guard let folder else { return problem }
    return try held.putBack(sidecar.pattern, sidecar.id, sidecar.document, into: folder) ? nil : problem
  }
}

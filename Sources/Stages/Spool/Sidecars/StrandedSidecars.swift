import Glibc
import Jobs
public import Linux
import Synchronization

/// The claimed sidecars of a spool whose documents are not in `.waybill`, one batch at a time. Any thread may read the next
/// batch, and may move or remove the sidecars of the last one.
public final class StrandedSidecars: Sendable {
  /// Nil after the last one was read: a finished object must not keep the spool's lock open.
  private let walk: Mutex<StrandedWalk?>

  init(_ held: LockedSpool) throws(FileError) {
    walk = Mutex(StrandedWalk(held: held, shelves: try SidecarShelf.all(in: held.claims)[...]))
  }

  /// Returns the next sidecars, at most `count`; empty at the end.
  ///
  /// - Throws: `FileError` if a directory cannot be read.
  public func next(upTo count: Int) throws(FileError) -> [SpoolDirectory.StrandedSidecar] {
    try walk.withLock { walk throws(FileError) in
      var batch: [SpoolDirectory.StrandedSidecar] = []
      while batch.count < count, let sidecar = try walk?.next() { batch.append(sidecar) }
      if batch.isEmpty { walk = nil }
      return batch
    }
  }
}

private struct StrandedWalk {
  let held: LockedSpool
  var shelves: ArraySlice<SidecarShelf>
  var listing: DirectoryListing?
  /// The sidecars that were found and not returned yet, all from the directory of one id.
  var found: [SpoolDirectory.StrandedSidecar] = []

  mutating func next() throws(FileError) -> SpoolDirectory.StrandedSidecar? {
    while true {
      if let sidecar = found.popLast() { return sidecar }
      guard let shelf = shelves.first else { return nil }
      if listing == nil { listing = try shelf.directory.listing() }
      guard let entry = try listing?.next() else {
        listing = nil
        shelves.removeFirst()
        continue
      }
      // Names that no claim makes are skipped.
      if let (id, document) = ClaimedPath.parse(entry.name) {
        try add(shelf, id, document)
      } else if let id = ClaimedPath.id(entry.name), try shelf.directory.kind(of: entry) == .directory {
        var documents: [FileName] = []
        try shelf.directory.forEachFile(ofClaimIn: entry.name) { directory, file, path throws(FileError) in
          guard try directory.kind(of: file) == .regular else { return }
          documents.append(FileName(FileName(bytes: file.name), in: path))
        }
        for document in documents { try add(shelf, id, document) }
      }
    }
  }

  private mutating func add(_ shelf: SidecarShelf, _ id: JobID, _ document: FileName) throws(FileError) {
    guard try !held.stands(ClaimReference(id, document)), let facts = try shelf.facts(id, document) else { return }
    found.append(
      SpoolDirectory.StrandedSidecar(
        pattern: shelf.pattern, id: id, document: document,
        stands: try shelf.standsElsewhere(facts, id, document)))
  }
}

import Glibc
import Jobs
package import Linux
import Synchronization

/// A walk that returns one thing after the other; nil at its end.
package protocol BatchedWalk {
  associatedtype Element: Sendable

  mutating func next() throws(FileError) -> Element?
}

/// A walk that is read in batches: only one batch is in memory, however much there is. Any thread may read the next one.
package final class Batches<Walk: BatchedWalk>: Sendable {
  fileprivate let walk: Mutex<Walk>

  init(_ walk: sending Walk) { self.walk = Mutex(walk) }

  /// Returns the next elements, at most `count`; none at the end.
  package func next(upTo count: Int) throws(FileError) -> [Walk.Element] {
    try walk.withLock { walk throws(FileError) in
      var batch: [Walk.Element] = []
      while batch.count < count, let element = try walk.next() { batch.append(element) }
      return batch
    }
  }
}

/// A stream of the files in `.waybill`. Names that no claim makes, and everything that is not a regular file or a group, are
/// skipped. If all claims are read, the empty directories of an interrupted claim are removed.
package final class ClaimListing: BatchedWalk {
  /// The maximum number of files that are set aside when all are read. Beyond it the fault is not one of single files, and the error is
  /// thrown.
  private static let mostSetAside = 1024

  /// The spool and the walk through it; nil after the last claim was read: they keep the spool's lock open, and a finished object must not.
  private var rest: (held: LockedSpool, names: ClaimedNames)?
  private let hasSidecars: Bool
  private let marker: String?
  private let ids: Set<JobID>?
  private let isPatient: (JobID) -> Bool
  private(set) var setAside: [SetAside] = []

  /// - Parameter isPatient: true for an id whose file is set aside if attributes or a sidecar cannot be read; else the job asks.
  init(
    _ held: LockedSpool, marker: String?, ids: Set<JobID>? = nil, isPatient: @escaping (JobID) -> Bool = { _ in true }
  ) throws(FileError) {
    self.marker = marker
    self.ids = ids
    self.isPatient = isPatient
    rest = (held, try ClaimedNames(in: held.claims, ids: ids, clearing: ids == nil))
    hasSidecars = try !held.shelves().isEmpty
  }

  package func next() throws(FileError) -> Claim? {
    while let held = rest?.held, let found = try rest?.names.next() {
      if let claim = try read(found, in: held) { return claim }
    }
    rest = nil
    return nil
  }

  private func read(_ found: ClaimedNames.Found, in held: LockedSpool) throws(FileError) -> Claim? {
    let (id, dropped, place) = (found.id, found.dropped, found.place)
    do throws(FileError) {
      guard let facts = try place.directory.factsIfPresent(place.name) else { return nil }
      switch facts.kind {
      case .regular:
        return try held.read(id, dropped, at: place, facts, withSidecar: hasSidecars, isPatient: isPatient(id)).claim
      case .directory where !found.isNested:
        return try held.group(place.name, id, dropped, marker: marker, isPatient: isPatient(id))
      case .directory, .symbolicLink, .other: return nil
      }
    } catch {
      if error.errno == ENOENT, try place.directory.factsIfPresent(place.name) == nil { return nil }
      guard setAside.count < ids?.count ?? Self.mostSetAside else { throw error }
      setAside.append(SetAside(id: id, dropped: dropped, error: error))
      return nil
    }
  }
}

extension Batches where Walk == ClaimListing {
  /// The files that could not be read; complete once all others were read. They are tried again while the spool runs.
  package var setAside: [SetAside] { walk.withLock { $0.setAside } }
}

extension Batches where Walk == GroupTree {
  package var sum: GroupSum { walk.withLock { $0.sum } }
}

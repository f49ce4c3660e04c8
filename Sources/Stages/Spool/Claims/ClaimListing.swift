import Glibc
import Jobs
public import Linux
import Synchronization

/// A stream of the files in `.waybill`. Names that no claim makes, and everything that is not a regular file or a group, are
/// skipped. If all claims are read, the empty directories of an interrupted claim are removed.
///
/// Not Sendable: one thread reads it.
final class ClaimListing {
  /// The maximum number of files that are set aside, unless only some ids are read. If there are more, the fault is not one of single files,
  /// and the error is thrown.
  private static let mostSetAside = 1024

  private let held: LockedSpool
  private let listing: DirectoryListing
  /// The claims of one id that has directories, and that were not returned yet.
  private var found: [Claim] = []
  private let hasSidecars: Bool
  private let marker: String?
  private let ids: Set<JobID>?
  private let isPatient: (JobID) -> Bool
  /// The files so far that could not be read.
  private(set) var setAside: [SetAside] = []

  /// - Parameters:
  ///   - marker: the pattern of the marker that groups have now.
  ///   - ids: the ids to read; nil for all.
  ///   - isPatient: false for an id whose job is to ask about attributes or a sidecar that cannot be read. While it is true, such
  ///     a file is set aside.
  init(
    _ held: LockedSpool, marker: String?, ids: Set<JobID>? = nil, isPatient: @escaping (JobID) -> Bool = { _ in true }
  ) throws(FileError) {
    self.held = held
    self.marker = marker
    self.ids = ids
    self.isPatient = isPatient
    listing = try held.claims.listing()
    hasSidecars = try !SidecarShelf.all(in: held.claims).isEmpty
  }

  /// Returns the next claim; nil at the end.
  func next() throws(FileError) -> Claim? {
    while true {
      if let claim = found.popLast() { return claim }
      guard let entry = try listing.next() else { return nil }
      if let (id, name) = ClaimedPath.parse(entry.name) {
        guard ids?.contains(id) != false else { continue }
        if let claim = try read(held.claims, entry, id, name, mayBeGroup: true) { return claim }
      } else if let id = ClaimedPath.id(entry.name), ids?.contains(id) != false,
        try held.claims.kind(of: entry) == .directory
      {
        found = try claims(of: id, in: entry.name)
      }
    }
  }

  /// Reads what is in the directories of a claim (``ClaimedPath/nested(folders:name:)``): one file, unless somebody has put others there.
  private func claims(of id: JobID, in top: [UInt8]) throws(FileError) -> [Claim] {
    var claims: [Claim] = []
    let folders = try held.claims.forEachFile(ofClaimIn: top) { directory, entry, path throws(FileError) in
      let dropped = FileName(FileName(bytes: entry.name), in: path)
      if let claim = try read(directory, entry, id, dropped, mayBeGroup: false) { claims.append(claim) }
    }
    if ids == nil { try held.claims.removeEmpty(folders) }
    return claims
  }

  /// Reads one file, or sets it aside.
  private func read(
    _ directory: Directory, _ entry: DirectoryListing.Entry, _ id: JobID, _ dropped: FileName, mayBeGroup: Bool
  ) throws(FileError) -> Claim? {
    do throws(FileError) {
      guard let facts = try directory.factsIfPresent(entry.name) else { return nil }
      switch facts.kind {
      case .regular:
        return try held.read(
          id, dropped, at: (directory, entry.name), facts, withSidecar: hasSidecars, isPatient: isPatient(id)
        ).claim
      case .directory where mayBeGroup:
        return try held.group(entry.name, id, dropped, marker: marker, isPatient: isPatient(id))
      case .directory, .symbolicLink, .other: return nil
      }
    } catch {
      if error.errno == ENOENT, try directory.factsIfPresent(entry.name) == nil { return nil }
      guard setAside.count < ids?.count ?? Self.mostSetAside else { throw error }
      setAside.append(SetAside(id, dropped, error))
      return nil
    }
  }
}

/// The claimed files in a spool, one batch at a time. Any thread may read the next batch.
public final class ClaimBatches: Sendable {
  /// Nil after the last claim was read: the listing keeps the spool's lock open, and a finished object must not.
  private let listing: Mutex<ClaimListing?>

  private let notRead = Mutex<[SetAside]>([])

  init(_ held: LockedSpool, marker: String?) throws(FileError) {
    listing = Mutex(try ClaimListing(held, marker: marker))
  }

  /// The files that could not be read; complete once all others were read. They are tried again while the spool runs.
  public var setAside: [SetAside] { notRead.withLock { $0 } }

  /// Returns the next claims, at most `count`; empty at the end.
  ///
  /// - Throws: `FileError` if the directory cannot be read.
  public func next(upTo count: Int) throws(FileError) -> [Claim] {
    try listing.withLock { listing throws(FileError) in
      var claims: [Claim] = []
      while claims.count < count, let claim = try listing?.next() { claims.append(claim) }
      if claims.isEmpty {
        if let setAside = listing?.setAside { notRead.withLock { $0 = setAside } }
        listing = nil
      }
      return claims
    }
  }
}

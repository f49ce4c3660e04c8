import Glibc
public import Jobs
public import Linux
import Synchronization

/// A directory of claimed sidecars: `.waybill/sidecars/PATTERN/ID~NAME`, where NAME is the name of the document. So a sidecar is
/// found from its document, and its own name follows from the path alone, whatever the current configuration says.
///
/// Below this directory, a sidecar has the same path as its document has below `.waybill` (``ClaimedPath``).
struct SidecarShelf {
  static let name = Array("sidecars".utf8)

  let pattern: SidecarPattern
  let directory: Directory

  /// Opens the shelf of a pattern; nil if there is none.
  static func find(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf? {
    try ifPresent { () throws(FileError) in
      SidecarShelf(pattern: pattern, directory: try claims.directory(name).directory(Array(pattern.text.utf8)))
    }
  }

  /// Opens the shelf of a pattern, and creates it if there is none. It is durable on return.
  static func make(_ pattern: SidecarPattern, in claims: Directory) throws(FileError) -> SidecarShelf {
    if let shelf = try find(pattern, in: claims) { return shelf }
    try claims.makeDirectoryIfMissing(name)
    let all = try claims.directory(name)
    try all.makeDirectoryIfMissing(Array(pattern.text.utf8))
    Failpoint.sidecarShelfMade.pass()
    try all.sync(.sidecarShelf)
    try claims.sync(.sidecarShelf)
    return SidecarShelf(pattern: pattern, directory: try all.directory(Array(pattern.text.utf8)))
  }

  /// Returns all shelves. Directories whose name is not a pattern are skipped.
  static func all(in claims: Directory) throws(FileError) -> [SidecarShelf] {
    guard let all = try ifPresent({ () throws(FileError) in try claims.directory(name) }) else { return [] }
    var shelves: [SidecarShelf] = []
    let listing = try all.listing()
    while let entry = try listing.next() {
      guard let text = String(validating: entry.name, as: UTF8.self), let pattern = try? SidecarPattern(text) else {
        continue
      }
      shelves.append(SidecarShelf(pattern: pattern, directory: try all.directory(entry.name)))
    }
    return shelves
  }

  /// Returns the directory of a sidecar and its name there.
  func location(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    try directory.claimedLocation(of: id, document)
  }

  /// The same, for a sidecar that is about to be claimed; creates the missing directories.
  func makePlace(_ id: JobID, _ document: FileName) throws(FileError) -> (Directory, [UInt8]) {
    for folder in ClaimedPath.folders(id, document) { try directory.makeDirectoryIfMissing(folder) }
    return try location(id, document)
  }

  /// Removes the directories of a nested place that are empty, innermost first.
  func clearPlace(_ id: JobID, _ document: FileName) throws(FileError) {
    try directory.removeEmpty(ClaimedPath.folders(id, document))
  }

  /// Returns the facts of a sidecar; nil if there is none.
  func facts(_ id: JobID, _ document: FileName) throws(FileError) -> FileFacts? {
    try ifPresent { () throws(FileError) -> FileFacts in
      let (directory, name) = try location(id, document)
      return try directory.facts(of: name)
    }
  }

  /// True if the sidecar with these facts also exists under another id, as it does while its document gets that id. A link that
  /// somebody else has made does not count.
  func standsElsewhere(_ facts: FileFacts, _ id: JobID, _ document: FileName) throws(FileError) -> Bool {
    guard facts.links > 1 else { return false }
    let listing = try directory.listing()
    while let entry = try listing.next() {
      guard let other = ClaimedPath.parse(entry.name)?.id ?? ClaimedPath.id(entry.name), other != id else { continue }
      if try self.facts(other, document)?.isSameFile(as: facts) == true { return true }
    }
    return false
  }

  /// Makes the names of these sidecars durable.
  func sync(_ sidecars: [(id: JobID, document: FileName)]) throws(FileError) {
    for (id, document) in sidecars {
      for folder in ClaimedPath.folders(id, document) { try directory.directory(folder).sync(.sidecarPlace) }
    }
    try directory.sync(.sidecarPlace)
  }
}

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

extension SpoolDirectory {
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

  /// Begins a search for claimed sidecars whose documents are not in `.waybill`.
  public func strandedSidecars() throws(FileError) -> StrandedSidecars { try StrandedSidecars(try held()) }

  /// Puts a stranded sidecar back into the directory that its document came from. If it is claimed under another id too, it is
  /// only removed under this one.
  ///
  /// - Returns: the problem, if its name is taken or the directory is gone. The sidecar stays claimed then.
  public func putBack(_ sidecar: StrandedSidecar) throws(FileError) -> SpoolProblem? {
    let held = try held()
    if sidecar.stands {
      try held.removeSidecar(sidecar.id, sidecar.document)
      return nil
    }
    let path = sidecar.document.path
    let problem = SpoolProblem.strandedSidecar(options, sidecar.pattern.sidecar(of: sidecar.document))
    let folder: Directory
    do throws(FileError) {
      folder = path.isEmpty ? try held.spool : try held.spool.directory(below: path).reopened()
    } catch {
      guard error.isOfSomethingGone else { throw error }
      return problem
    }
    return try held.putBack(sidecar.pattern, sidecar.id, sidecar.document, into: folder) ? nil : problem
  }
}

import Glibc
package import Jobs
package import Linux
import Messages
import Seams

/// A claimed sidecar is in the shelf of its pattern, `.waybill/sidecars/PATTERN`, where it has the path that its document has in `.waybill`
/// (``ClaimedPath``), with the document's name. So the document leads to the sidecar, and the path alone gives the sidecar's own name,
/// whatever the current configuration says. The sidecar is renamed first, durably.
extension LockedSpool {
  private static let shelvesName = Array("sidecars".utf8)

  /// Opens the shelf of a pattern; nil if there is none.
  func shelf(_ pattern: SidecarPattern) throws(FileError) -> Directory? {
    try ifPresent { () throws(FileError) in
      try claims.directory(Self.shelvesName).directory(Array(pattern.text.utf8))
    }
  }

  /// Opens the shelf of a pattern, and durably creates it if there is none.
  private func makeShelf(_ pattern: SidecarPattern) throws(FileError) -> Directory {
    if let shelf = try shelf(pattern) { return shelf }
    try claims.makeDirectoryIfMissing(Self.shelvesName)
    let all = try claims.directory(Self.shelvesName)
    try all.makeDirectoryIfMissing(Array(pattern.text.utf8))
    Failpoint.sidecarShelfMade.pass()
    try all.sync(.sidecarShelf)
    try claims.sync(.sidecarShelf)
    return try all.directory(Array(pattern.text.utf8))
  }

  /// Returns all shelves with their patterns. Directories whose name is not a pattern are skipped.
  func shelves() throws(FileError) -> [(pattern: SidecarPattern, directory: Directory)] {
    guard let all = try ifPresent({ () throws(FileError) in try claims.directory(Self.shelvesName) }) else { return [] }
    var shelves: [(pattern: SidecarPattern, directory: Directory)] = []
    let listing = try all.listing()
    while let entry = try listing.next() {
      // Ignored: a name that is no pattern is no shelf.
      guard let text = String(validating: entry.name, as: UTF8.self), let pattern = try? SidecarPattern(text) else {
        continue
      }
      shelves.append((pattern, try all.directory(entry.name)))
    }
    return shelves
  }

  /// True if a document and a sidecar of these owners make a pair: nobody describes another user's document. Root and the daemon may.
  static func makePair(_ one: UInt32?, _ other: UInt32?) -> Bool {
    let trusted: [UInt32?] = [0, ProcessRights.user]
    return one == other || trusted.contains(one) || trusted.contains(other)
  }

  /// Renames a sidecar to the place that belongs to its document, if it is not there already. Returns its owner; nil if it is gone.
  func claimSidecar(
    _ pattern: SidecarPattern, of document: FileName, from source: Directory, as id: JobID
  ) throws(FileError) -> UInt32? {
    let shelf = try makeShelf(pattern)
    let place = try shelf.makePlace(of: id, document)
    switch try move(pattern.sidecar(of: document).last.bytes, of: source, to: place) {
    case .done: Failpoint.sidecarRenamed.pass()
    case .gone:
      try shelf.clearPlace(of: id, document)
      return nil
    case .unknown(let error): throw error
    }
    let facts = try place.directory.facts(of: place.name)
    guard facts.kind == .regular else {
      // Something else took its name at the last moment.
      _ = try putBack(pattern, id, document, into: source)
      return nil
    }
    return facts.owner
  }

  func syncSidecars(_ pattern: SidecarPattern, _ sidecars: [(id: JobID, document: FileName)]) throws(FileError) {
    guard let shelf = try shelf(pattern) else { return }
    for (id, document) in sidecars {
      for folder in ClaimedPath.folders(id, document) { try shelf.directory(folder).sync(.sidecarPlace) }
    }
    try shelf.sync(.sidecarPlace)
  }

  func hasSidecar(_ pattern: SidecarPattern, _ id: JobID, _ document: FileName) throws(FileError) -> Bool {
    try shelf(pattern)?.facts(of: id, document)?.kind == .regular
  }

  /// Reads the sidecar of a claimed document; nil if it has none. `unread` is called with the error of unreadable bytes, and may throw it;
  /// without it, the error is thrown.
  func sidecar(
    _ id: JobID, _ document: FileName, unread: ((FileError) throws(FileError) -> Void)? = nil
  ) throws(FileError) -> ClaimedSidecar? {
    for (pattern, shelf) in try shelves() {
      guard let facts = try shelf.facts(of: id, document), facts.kind == .regular else { continue }
      let sidecar = Parcel.Sidecar(pattern: pattern, identity: FileIdentity(facts))
      do throws(FileError) {
        return ClaimedSidecar(sidecar: sidecar, content: try content(shelf, id, document, facts))
      } catch {
        guard let unread else { throw error }
        try unread(error)
        return ClaimedSidecar(sidecar: sidecar, content: .unusable(.sidecarNotReadable(why: error.message)))
      }
    }
    return nil
  }

  private func content(
    _ shelf: Directory, _ id: JobID, _ document: FileName, _ facts: FileFacts
  ) throws(FileError) -> ClaimedSidecar.Content {
    let limit = SidecarPattern.limit
    guard facts.size <= limit else { return .unusable(.sidecarTooLong(size: facts.size, limit: limit)) }
    let (directory, name) = try shelf.place(of: id, document)
    do throws(FileError) {
      let bytes = try directory.openOurs(name).read(at: 0, count: limit + 1)
      return bytes.count > limit ? .unusable(.sidecarGrew) : .bytes(bytes)
    } catch {
      guard error.errno == EACCES else { throw error }
      return .unusable(.sidecarNotReadable(why: error.message))
    }
  }

  /// Returns the current bytes of a sidecar; nil if they cannot be used, which the claim recorded. Throws ENOENT if it is gone.
  package func sidecarBytes(_ sidecar: Parcel.Sidecar, _ id: JobID, _ document: FileName) throws(FileError) -> [UInt8]?
  {
    guard let shelf = try shelf(sidecar.pattern), let facts = try shelf.facts(of: id, document) else {
      throw FileError("open", path: "\(claims.path)/\(sidecar.pattern.sidecar(of: document).shown)", errno: ENOENT)
    }
    guard facts.kind == .regular, case .bytes(let bytes) = try content(shelf, id, document, facts) else { return nil }
    return bytes
  }

  /// Renames a sidecar back to its name in `source`, replacing nothing. Returns false, and leaves it claimed, if that name is taken or the
  /// directory is gone.
  func putBack(
    _ pattern: SidecarPattern, _ id: JobID, _ document: FileName, into source: Directory
  ) throws(FileError) -> Bool {
    guard let shelf = try shelf(pattern) else { return true }
    let (directory, place) = try shelf.place(of: id, document)
    let name = pattern.sidecar(of: document).last.bytes
    do throws(FileError) {
      try directory.rename(place, into: source, as: name)
    } catch {
      switch error.errno {
      // Both are names of one file: a crash came between the link and the removal of the first name.
      case EEXIST where try directory.facts(of: place).isSameFile(as: try source.facts(of: name)):
        try directory.remove(place)
      case EEXIST, ENOENT: return false
      default: throw error
      }
    }
    Failpoint.sidecarPutBack.pass()
    try source.sync(.claimSpool)
    try shelf.clearPlace(of: id, document)
    return true
  }

  /// Links the sidecar of a document under another id, before the document gets that id; renames it on a file system without links.
  func linkSidecar(_ pattern: SidecarPattern, _ id: JobID, _ document: FileName, to newID: JobID) throws(FileError) {
    guard let shelf = try shelf(pattern), try shelf.facts(of: id, document) != nil else { return }
    let (from, old) = try shelf.place(of: id, document)
    let (to, new) = try shelf.makePlace(of: newID, document)
    do throws(FileError) {
      try from.link(old, into: to, as: new)
    } catch {
      switch error.errno {
      case EEXIST where try to.facts(of: new).isSameFile(as: try from.facts(of: old)): break
      case EPERM, EMLINK, EOPNOTSUPP, ENOSYS: try from.rename(old, intoOurs: to, as: new)
      default: throw error
      }
    }
    Failpoint.sidecarLinked.pass()
    try syncSidecars(pattern, [(newID, document)])
  }

  /// Removes the sidecar names under the old ids of these claims, whose documents certainly have new, durable names.
  func forgetSidecars(leftBy moved: [Claim]) throws(FileError) {
    for claim in moved {
      if let pattern = claim.sidecar?.sidecar.pattern { try removeSidecar(pattern, claim.id, claim.dropped) }
    }
  }

  /// Removes a sidecar without checking its content. A missing one is no error.
  package func removeSidecar(_ pattern: SidecarPattern, _ id: JobID, _ document: FileName) throws(FileError) {
    guard let shelf = try shelf(pattern) else { return }
    let removal: Void? = try ifPresent { () throws(FileError) in
      let (directory, place) = try shelf.place(of: id, document)
      try directory.remove(place)
    }
    if removal != nil { Failpoint.sidecarRemoved.pass() }
    try shelf.clearPlace(of: id, document)
  }
}

/// A claimed sidecar whose document is not claimed: a crash came between the two, or the document was disposed of.
package struct StrandedSidecar: Hashable, Sendable {
  package let pattern: SidecarPattern
  package let id: JobID
  package let document: FileName
  /// True if the same file is claimed under another id too.
  package let stands: Bool
}

/// A walk through the claimed sidecars of a spool whose documents are not in `.waybill`. Returned ones may be moved or removed meanwhile.
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

  /// True if a sidecar with these facts is also claimed under another id. A link that somebody else has made does not count.
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

  /// Puts back the sidecar that was claimed with a document, if there is one; returns the problem if that is not possible.
  package func putBackSidecar(of claim: Claim) throws(FileError) -> SpoolProblem? {
    guard let pattern = claim.sidecar?.sidecar.pattern else { return nil }
    return try putBack(StrandedSidecar(pattern: pattern, id: claim.id, document: claim.dropped, stands: false))
  }

  /// Puts a stranded sidecar back into the directory that its document came from; one that is claimed under another id too is only removed.
  /// Returns the problem, and leaves it claimed, if its name is taken or the directory is gone.
  package func putBack(_ sidecar: StrandedSidecar) throws(FileError) -> SpoolProblem? {
    let held = try held()
    if sidecar.stands {
      try held.removeSidecar(sidecar.pattern, sidecar.id, sidecar.document)
      return nil
    }
    let words = Message.sidecarStranded(sidecar: sidecar.pattern.sidecar(of: sidecar.document).shown)
    let problem = SpoolProblem(options, .sidecar, words, remedy: .compareSidecars(path: options.path))
    let folder = try unless(ENOENT, ENOTDIR, ELOOP) { () throws(FileError) in try held.source(of: sidecar.document) }
    guard let folder else { return problem }
    return try held.putBack(sidecar.pattern, sidecar.id, sidecar.document, into: folder) ? nil : problem
  }
}

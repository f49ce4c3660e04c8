import Glibc
package import Jobs
package import Linux
import Messages
package import Seams

/// A spool directory that is open, checked and locked, with the operations on claims and their files.
package final class LockedSpool: Sendable {
  static let claimsName = Array(".waybill".utf8)
  static let lockName = Array("lock".utf8)
  static let trialName = Array(".waybill-trial".utf8)

  /// The directory that files are dropped into, held open; nil if files stay where they are.
  private let root: Directory?
  /// The directory whose files stay where they are. It is opened anew for each use, so that its medium can be unmounted.
  let keptRoot: KeptRoot?
  /// The spool's `.waybill`; if files stay where they are, a directory of the daemon in its place.
  let claims: Directory
  /// True if a lease shows whether a file is open for writing. It is false on a remote file system and on FUSE: there a lease may
  /// be granted although there are writers elsewhere, or be refused although there are none.
  let grantsLeases: Bool
  let leased: Candidates.Leased
  let isLocal: Bool
  private let lock: FileLock

  init(
    spool: Directory, claims: Directory, lock: FileLock, grantsLeases: Bool, keptRoot: KeptRoot? = nil
  ) {
    root = keptRoot == nil ? spool : nil
    self.keptRoot = keptRoot
    self.claims = claims
    self.lock = lock
    // Ignored: what is not known to be local is taken for remote.
    isLocal = (try? spool.fileSystem().isRemote) == false
    self.grantsLeases = grantsLeases && isLocal
    leased =
      !self.grantsLeases ? .none : ProcessRights.mayLeaseOthersFiles ? .all : .ofUser(ProcessRights.user)
  }

  /// The directory that files are dropped into. Throws ENOENT if files stay where they are and another directory is there now.
  var spool: Directory {
    get throws(FileError) {
      if let root { return root }
      guard let keptRoot else { preconditionFailure("a spool is held open, or opened by its path") }
      return try keptRoot.open()
    }
  }

  enum Taking {
    /// It is claimed. `loss` is the reason why some attributes are missing; nil if none are.
    case taken(Claim, loss: Message?)
    case gone
    /// It was not a regular file. It is back under its name, or stays in `.waybill` if that name was taken meanwhile.
    case notAFile
    /// It was renamed, or may have been, and its claim could not be read. It will be looked for in `.waybill`.
    case unseen(FileError)
  }

  /// Renames a regular file into `.waybill` and reads its facts; not durably. If the call throws, the file is in the spool as before.
  /// Anything else that has taken the file's name is put back, and so is a document that makes no pair with its claimed sidecar's `owner`.
  func claim(
    _ dropped: FileName, from source: Directory, as id: JobID, sidecarOf owner: UInt32? = nil
  ) throws(FileError) -> Taking {
    try take(dropped, from: source, as: id) { place throws(FileError) in
      let facts = try place.directory.facts(of: place.name)
      guard facts.kind == .regular else {
        _ = try putBack(place, id, dropped, into: source)
        return .notAFile
      }
      if let owner, !Self.makePair(facts.owner, owner), try putBack(place, id, dropped, into: source) { return .gone }
      let (claim, loss) = try read(id, dropped, at: place, facts, withSidecar: owner != nil)
      return .taken(claim, loss: loss)
    }
  }

  /// Renames a file or a directory into `.waybill`, then reads its claim by `finish`. If the call throws, it is in the spool as before.
  func take(
    _ dropped: FileName, from source: Directory, as id: JobID, _ finish: (ClaimPlace) throws(FileError) -> Taking
  ) throws(FileError) -> Taking {
    Failpoint.claimBegun.pass()
    let place = try claims.makePlace(of: id, dropped)
    let move: Move
    do throws(FileError) {
      move = try self.move(dropped.last.bytes, of: source, to: place)
    } catch {
      try claims.clearPlace(of: id, dropped)
      throw error
    }
    switch move {
    case .done: Failpoint.claimRenamed.pass()
    case .gone:
      try claims.clearPlace(of: id, dropped)
      return .gone
    case .unknown(let error): return .unseen(error)
    }
    do throws(FileError) {
      return try finish(place)
    } catch {
      return .unseen(error)
    }
  }

  /// Renames a claimed file back to its name in the spool; returns false if that name is taken.
  func putBack(
    _ place: ClaimPlace, _ id: JobID, _ dropped: FileName, into source: Directory
  ) throws(FileError) -> Bool {
    let isRenamed: Void? = try unless(EEXIST, EINVAL) { () throws(FileError) in
      try place.directory.rename(place.name, into: source, as: dropped.last.bytes)
    }
    guard isRenamed != nil else { return false }
    try claims.clearPlace(of: id, dropped)
    return true
  }

  /// Gives a claim another id, not durably; ``forgetSidecars(leftBy:)`` follows the sync. If the call throws, the claim has its old id;
  /// EEXIST if another claim has the new one. A claim that cannot be read (the error is returned) has one of the two ids, and will be
  /// looked for in `.waybill`.
  func adopt(_ claim: Claim, as id: JobID) throws(FileError) -> Result<Claim, FileError> {
    var adopted = claim
    adopted.id = id
    // A file that stays where it is carries no id in its name.
    if claim.kept != nil { return .success(adopted) }
    let pattern = claim.sidecar?.sidecar.pattern
    let (from, old) = try claims.place(of: claim.id, claim.dropped)
    let (to, new) = try claims.makePlace(of: id, claim.dropped)
    if let pattern { try linkSidecar(pattern, claim.id, claim.dropped, to: id) }
    do throws(FileError) {
      try from.rename(old, intoOurs: to, as: new)
      Failpoint.adoptRenamed.pass()
    } catch {
      // Ignored: an unseen claim may have either id.
      guard (try? exists(old, in: from)) == true else { return .failure(error) }
      if let pattern {
        // Links nothing if the old name is there. That is durable before the new name goes.
        try linkSidecar(pattern, id, claim.dropped, to: claim.id)
        try removeSidecar(pattern, id, claim.dropped)
      }
      throw error
    }
    do throws(FileError) {
      try claims.clearPlace(of: claim.id, claim.dropped)
      let identity = FileIdentity(try to.facts(of: new))
      if claim.group == nil {
        adopted.identity = identity
      } else {
        // The facts of a group are not those of its directory alone.
        adopted.identity.changed = max(claim.identity.changed, identity.changed)
      }
      return .success(adopted)
    } catch {
      return .failure(error)
    }
  }

  /// Gives claims other ids, which the caller has found free, and makes that durable. A claim that cannot be renamed keeps its id, and
  /// `refused` is called unless another claim has the id. `unseen` is called with a claim that is left out for a reason that may pass, and
  /// an id by which it will be looked for. Throws if the renames may not be on disk.
  package func adopt(
    _ moving: [(claim: Claim, id: JobID)], for purpose: Sync, refused: (Claim, FileError) -> Void,
    unseen: (Claim, JobID, FileError) -> Void
  ) throws(FileError) -> [Claim] {
    guard !moving.isEmpty else { return [] }
    var (result, moved): ([Claim], [Claim]) = ([], [])
    for (claim, id) in moving {
      do throws(FileError) {
        switch try adopt(claim, as: id) {
        case .success(let adopted):
          result.append(adopted)
          moved.append(claim)
        case .failure(let error): unseen(claim, id, error)
        }
      } catch {
        if error.mayPass {
          unseen(claim, claim.id, error)
          continue
        }
        if error.errno != EEXIST { refused(claim, error) }
        result.append(claim)
      }
    }
    try sync(result, for: purpose)
    Failpoint.adoptSynced.pass()
    // Ignored: the next start removes the name of a sidecar whose document has another id.
    _ = try? forgetSidecars(leftBy: moved)
    return result
  }

  /// Opens a claimed file, read-only and without following links. If the daemon may not, the error names owner, mode and remedy.
  package func open(_ claim: ClaimReference) throws(FileError) -> OpenFile {
    let (directory, name) = try location(of: claim)
    // Others may replace a file that stays where it is, even by a FIFO.
    return try open(name, in: directory, isOurs: claim.parcel != .inPlace)
  }

  /// Opens any file of a claim; errors are explained as in ``open(_:)``.
  func open(_ claimed: [UInt8], in directory: Directory, isOurs: Bool = true) throws(FileError) -> OpenFile {
    do throws(FileError) {
      return isOurs ? try directory.openOurs(claimed) : try directory.open(claimed)
    } catch {
      guard error.errno == EACCES else { throw error }
      let facts = try directory.facts(of: claimed)
      var explained = error
      explained.advice = .unreadableForUser(
        owner: UserName.of(facts.owner), group: GroupName.of(facts.group), mode: "\(facts.mode)",
        user: UserName.of(ProcessRights.user))
      throw explained
    }
  }

  /// Returns the current facts of a claimed file. Throws ENOENT if it is gone.
  func facts(_ claim: ClaimReference) throws(FileError) -> FileFacts {
    let (directory, claimed) = try location(of: claim)
    return try directory.facts(of: claimed)
  }

  func isStillThere(_ path: String) throws(FileError) -> Bool {
    if let keptRoot { return try keptRoot.isThere() }
    let spool = try spool
    guard try Directory(path: path).facts().isSameFile(as: try spool.facts()) else { return false }
    return try spool.facts(of: LockedSpool.claimsName).isSameFile(as: try claims.facts())
  }
}

extension LockedSpool {
  /// Returns the place of a claim: in the spool for a file that stays where it is. The way there follows no link.
  func location(of claim: ClaimReference) throws(FileError) -> ClaimPlace {
    guard claim.parcel == .inPlace else { return try claims.place(of: claim.id, claim.name) }
    guard keptRoot != nil else {
      // The directory that has the spool's name now is another one, or its files are to be taken away.
      throw FileError(
        "use", path: "\(try spool.path)/\(claim.name.text)", errno: ENOENT, advice: .keptNoMore)
    }
    let (root, path) = (try spool, claim.name.path)
    return (path.isEmpty ? root : try root.directory(below: path), claim.name.last.bytes)
  }

  /// Stops the program if a claim was made without a rename: its file is not the daemon's to move or remove.
  func requireClaimed(_ claim: ClaimReference) {
    precondition(claim.parcel != .inPlace, "a file that stays where it is was to be moved")
  }

  /// Opens the directory that a file was dropped into, to put something back there.
  func source(of dropped: FileName) throws(FileError) -> Directory {
    dropped.path.isEmpty ? try spool : try spool.directory(below: dropped.path).reopened()
  }

  /// The maximum number of directories to fsync one by one. If there are more, the whole file system is synced with one call.
  private static let mostFolders = 32

  /// Returns once the renames of these claims, and the directories that were created for them, are on disk. `purpose` is given for claims
  /// that were not made just before this call: then only names in `.waybill` have changed. With `sourcesLater`, ``syncSources(of:)``
  /// follows.
  func sync(_ made: [Claim], for purpose: Sync? = nil, sourcesLater: Bool = false) throws(FileError) {
    if keptRoot != nil { return }  // nothing was renamed
    if let purpose, !purpose.isDone { return }
    var folders: [[UInt8]] = []
    for claim in made { folders += ClaimedPath.folders(claim.id, claim.dropped) }
    // FUSE ignores the request for a whole file system.
    if folders.count > Self.mostFolders, try !claims.fileSystem().isRemote {
      return try claims.syncFileSystem(.claimFileSystem)
    }
    for folder in folders {
      try claims.directory(folder).sync(.claimFolders)
      Failpoint.claimPlacesSynced.pass()
    }
    try claims.sync(.claimPlace)
    Failpoint.claimTargetSynced.pass()
    if purpose == nil, !sourcesLater { try syncSources(of: made) }
  }

  /// Returns once the removal of claimed names from the spool is on disk. On a file system where a rename is not atomic, a power cut before
  /// it may leave both names, but never none, because `.waybill` is synced first.
  func syncSources(of made: [Claim]) throws(FileError) {
    if keptRoot != nil { return }
    for path in Set(made.map(\.path)) where !path.isEmpty {
      // A directory that has disappeared does no harm.
      _ = try unless(ENOENT, ENOTDIR, ELOOP) { () throws(FileError) in
        try spool.directory(below: path).reopened().sync(.claimSources)
      }
    }
    try spool.sync(.claimSpool)
  }
}

import Glibc
package import Jobs
package import Linux
import Seams

/// A document and its sidecar are two files, and no system call moves both. So the sidecar is renamed first, durably. After a
/// crash there may be a sidecar without its document, which is put back, but never a document that has lost its sidecar.
extension LockedSpool {
  /// True if a document and its sidecar, of these owners, are a pair: nobody describes another user's document, or loses a file to it. Root
  /// and the daemon may.
  static func makePair(_ one: UInt32?, _ other: UInt32?) -> Bool {
    let trusted: [UInt32?] = [0, ProcessRights.user]
    return one == other || trusted.contains(one) || trusted.contains(other)
  }

  /// Renames a sidecar to the place that belongs to its document. Returns its owner; nil if it is gone. A sidecar that a failed attempt
  /// has put there stays.
  func claimSidecar(
    _ pattern: SidecarPattern, of document: FileName, from source: Directory, as id: JobID
  ) throws(FileError) -> UInt32? {
    let shelf = try SidecarShelf.make(pattern, in: claims)
    let (directory, place) = try shelf.makePlace(id, document)
    let name = pattern.sidecar(of: document).last.bytes
    switch try move(name, of: source, to: directory, as: place) {
    case .done: Failpoint.sidecarRenamed.pass()
    case .gone:
      try shelf.clearPlace(id, document)
      return nil
    case .unknown(let error): throw error
    }
    let facts = try directory.facts(of: place)
    guard facts.kind == .regular else {
      // Something else took its name at the last moment.
      _ = try putBack(shelf, id, document, into: source)
      return nil
    }
    return facts.owner
  }

  /// True if the sidecar of a document is in its claimed place.
  func hasSidecar(_ pattern: SidecarPattern, _ id: JobID, _ document: FileName) throws(FileError) -> Bool {
    try SidecarShelf.find(pattern, in: claims)?.facts(id, document)?.kind == .regular
  }

  /// Reads the sidecar of a claimed document; nil if it has none.
  ///
  /// - Parameter unread: is called with the error if the bytes cannot be read, and may throw it; if it is nil, the error is thrown.
  func sidecar(
    _ id: JobID, _ document: FileName, unread: ((FileError) throws(FileError) -> Void)? = nil
  ) throws(FileError) -> ClaimedSidecar? {
    for shelf in try SidecarShelf.all(in: claims) {
      guard let facts = try shelf.facts(id, document), facts.kind == .regular else { continue }
      let sidecar = Parcel.Sidecar(pattern: shelf.pattern, identity: FileIdentity(facts))
      do throws(FileError) {
        return ClaimedSidecar(sidecar: sidecar, content: try content(shelf, id, document, facts))
      } catch {
        guard let unread else { throw error }
        try unread(error)
        return ClaimedSidecar(sidecar: sidecar, content: .unusable("cannot be read: \(error.words)"))
      }
    }
    return nil
  }

  private func content(
    _ shelf: SidecarShelf, _ id: JobID, _ document: FileName, _ facts: FileFacts
  ) throws(FileError) -> ClaimedSidecar.Content {
    guard facts.size <= SidecarPattern.limit else {
      return .unusable("has \(facts.size) bytes, and at most \(SidecarPattern.limit) are read")
    }
    let (directory, place) = try shelf.location(id, document)
    do throws(FileError) {
      let bytes = try directory.openOurs(place).read(at: 0, count: SidecarPattern.limit + 1)
      return bytes.count > SidecarPattern.limit ? .unusable("grew while it was read") : .bytes(bytes)
    } catch {
      guard error.errno == EACCES else { throw error }
      return .unusable("cannot be read: \(error.words)")
    }
  }

  /// Returns the current bytes of a sidecar; nil if they cannot be used, which the claim recorded already. Throws ENOENT if the
  /// sidecar is gone.
  package func sidecarBytes(_ sidecar: Parcel.Sidecar, _ id: JobID, _ document: FileName) throws(FileError) -> [UInt8]?
  {
    guard let shelf = try SidecarShelf.find(sidecar.pattern, in: claims), let facts = try shelf.facts(id, document)
    else {
      throw FileError("open", path: "\(claims.path)/\(sidecar.pattern.sidecar(of: document).shown)", errno: ENOENT)
    }
    guard facts.kind == .regular, case .bytes(let bytes) = try content(shelf, id, document, facts) else { return nil }
    return bytes
  }

  /// Renames a sidecar back to its name in `source`, replacing nothing.
  ///
  /// - Returns: false if another file has that name, or the directory is gone. The sidecar stays claimed then.
  func putBack(
    _ shelf: SidecarShelf, _ id: JobID, _ document: FileName, into source: Directory
  ) throws(FileError) -> Bool {
    let (directory, place) = try shelf.location(id, document)
    let name = shelf.pattern.sidecar(of: document).last.bytes
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
    try shelf.clearPlace(id, document)
    return true
  }

  /// The same, with the shelf found by its pattern.
  func putBack(
    _ pattern: SidecarPattern, _ id: JobID, _ document: FileName, into source: Directory
  ) throws(FileError) -> Bool {
    guard let shelf = try SidecarShelf.find(pattern, in: claims) else { return true }
    return try putBack(shelf, id, document, into: source)
  }

  /// Makes the sidecar of a document available under another id too, before the document gets that id.
  /// ``forgetSidecars(leftBy:)`` removes the first name afterwards. On a file system without links, the sidecar is renamed.
  func linkSidecar(_ id: JobID, _ document: FileName, to newID: JobID) throws(FileError) {
    for shelf in try SidecarShelf.all(in: claims) where try shelf.facts(id, document) != nil {
      let (from, old) = try shelf.location(id, document)
      let (to, new) = try shelf.makePlace(newID, document)
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
      try shelf.sync([(newID, document)])
    }
  }

  /// Undoes ``linkSidecar(_:_:to:)`` for a document that did not get the new id.
  func unlinkSidecar(_ id: JobID, _ document: FileName, from newID: JobID) throws(FileError) {
    for shelf in try SidecarShelf.all(in: claims) {
      guard let new = try shelf.facts(newID, document) else { continue }
      let (directory, place) = try shelf.location(newID, document)
      if let old = try shelf.facts(id, document) {
        guard old.isSameFile(as: new) else { continue }
        try directory.remove(place)
      } else {
        let (to, before) = try shelf.makePlace(id, document)
        try directory.rename(place, intoOurs: to, as: before)
      }
      try shelf.clearPlace(newID, document)
    }
  }

  /// Removes the sidecar names under ids that their documents do not have any more. The documents' new names must be durable.
  ///
  /// - Parameter moved: the claims under their old ids, of documents that certainly have new ones.
  func forgetSidecars(leftBy moved: [Claim]) throws(FileError) {
    for claim in moved where claim.sidecar != nil { try removeSidecar(claim.id, claim.dropped) }
  }

  /// Removes a sidecar without checking its content. It is no error if there is none.
  package func removeSidecar(_ id: JobID, _ document: FileName) throws(FileError) {
    for shelf in try SidecarShelf.all(in: claims) {
      do throws(FileError) {
        let (directory, place) = try shelf.location(id, document)
        try directory.remove(place)
        Failpoint.sidecarRemoved.pass()
      } catch {
        guard error.errno == ENOENT else { throw error }
      }
      try shelf.clearPlace(id, document)
    }
  }
}

import Glibc
package import Jobs
package import Linux
import Messages
import Seams

/// Operations on a whole claim of any kind.
extension LockedSpool {
  /// Returns true if a claim is in its place, or something that its disposal removes later: its sidecar, or the mark of its copy.
  package func hasClaim(_ claim: ClaimReference) throws(FileError) -> Bool {
    if let sidecar = claim.parcel.sidecar, try hasSidecar(sidecar.pattern, claim.id, claim.name) { return true }
    if try exists(Archive.mark(claim.id), in: claims) { return true }
    return try stands(claim)
  }

  /// Removes a claim and everything that belongs to it, without checking its contents. A missing claim is no error.
  package func removeUnchecked(_ claim: ClaimReference) throws(FileError) {
    requireClaimed(claim)
    if let place = try ifPresent({ () throws(FileError) in try claims.place(of: claim.id, claim.name) }),
      try claim.parcel.group == nil
        ? place.directory.removeIfPresent(place.name) : place.directory.removeWhole(place.name)
    {
      Failpoint.fileRemoved.pass()
    }
    try claims.clearPlace(of: claim.id, claim.name)
    if let sidecar = claim.parcel.sidecar { try removeSidecar(sidecar.pattern, claim.id, claim.name) }
    try clear(claim)
  }

  /// Returns the time of the last change of a claim, in nanoseconds since the Unix epoch, and if a lease shows that it is open for writing.
  package func lastChange(of claim: ClaimReference) throws(FileError) -> (changed: Int64, isOpen: Bool) {
    guard claim.parcel.group != nil else {
      let (directory, claimed) = try claims.place(of: claim.id, claim.name)
      let facts = try directory.facts(of: claimed)
      return (facts.changed, leased.covers(facts) && directory.writers(of: claimed, whose: facts) == .some)
    }
    let look = try GroupLook(try groupDirectory(claim), marker: nil, leased: leased)
    return (look.changed, look.openFile != nil)
  }

  /// Durably renames a claim to the place of another id, replacing nothing, and returns it. From then on it has no row.
  package func readmit(_ claim: ClaimReference, as newID: JobID) throws(FileError) -> Claim {
    requireClaimed(claim)
    precondition(newID != claim.id, "a changed file would count as the one that was sent")
    let read = try read(claim)
    let readmitted = try adopt(read, as: newID).get()
    Failpoint.readmissionRenamed.pass()
    try sync([readmitted], for: .readmission)
    Failpoint.readmissionSynced.pass()
    // The mark under the old id belongs to the version that was archived.
    try clear(claim)
    try forgetSidecars(leftBy: [read])
    return readmitted
  }

  /// Reads a claim again, with the facts that it has at this moment; with `isPatient`, throws an error that may pass.
  func read(_ claim: ClaimReference, isPatient: Bool = true) throws(FileError) -> Claim {
    let place = try claims.place(of: claim.id, claim.name)
    guard let group = claim.parcel.group else {
      let facts = try place.directory.facts(of: place.name)
      return try read(claim.id, claim.name, at: place, facts, withSidecar: true, isPatient: isPatient).claim
    }
    guard let read = try self.group(place.name, claim.id, claim.name, marker: group.marker) else {
      throw FileError("readmit", path: "\(claims.path)/\(FileName(bytes: place.name).shown)", errno: ENOTDIR)
    }
    return read
  }
}

/// The rename into `.waybill`, and reading what is there. Both bear with a file system that fails for a moment.
extension LockedSpool {
  /// The result of a rename into `.waybill`.
  enum Move {
    /// It has its claimed name.
    case done
    /// There is nothing under this name to claim.
    case gone
    /// It is not known which of the two names it has.
    case unknown(FileError)
  }

  /// Renames a file or directory of the spool to its claimed name. Throws only if the rename certainly did not happen. An error of the
  /// rename does not prove that: a file server may have renamed the file although its answer was lost.
  func move(_ name: [UInt8], of source: Directory, to place: ClaimPlace) throws(FileError) -> Move {
    do throws(FileError) {
      try source.rename(name, intoOurs: place.directory, as: place.name)
      return .done
    } catch {
      do throws(FileError) {
        if try exists(place.name, in: place.directory) { return .done }
      } catch {
        return .unknown(error)
      }
      guard error.errno == ENOENT else { throw error }
      return .gone
    }
  }

  /// True if a claim is in its place. Throws if that is not known, such as while the medium of a kept file cannot be read.
  package func stands(_ claim: ClaimReference) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try facts(claim)
      return true
    } catch {
      guard error.isOfSomethingGone else { throw error }
      if claim.parcel == .inPlace, let keptRoot, !keptRoot.canBeRead() { throw error }
      return false
    }
  }

  /// Reads the claim of a file that is in its place, with everything that belongs to it.
  /// - Parameter isPatient: true to throw a read error that may pass. Any other error is returned in the claim: its job asks, and no
  ///   other file waits.
  func read(
    _ id: JobID, _ dropped: FileName, at place: ClaimPlace, _ facts: FileFacts, withSidecar: Bool,
    isPatient: Bool = true
  ) throws(FileError) -> (claim: Claim, loss: Message?) {
    var unread: FileError?
    func ask(_ error: FileError) throws(FileError) {
      if isPatient, error.mayPass || error.isOfSomethingGone { throw error }
      unread = error
    }
    var (attributes, loss): ([String: [UInt8]], Message?) = ([:], nil)
    do throws(FileError) {
      (attributes, loss) = try self.attributes(place, facts, dropped)
    } catch {
      try ask(error)
    }
    var sidecar: ClaimedSidecar?
    if withSidecar { sidecar = try self.sidecar(id, dropped, unread: ask) }
    let claim = Claim(
      id: id, dropped: dropped, identity: FileIdentity(facts), attributes: attributes, sidecar: sidecar, unread: unread)
    return (claim, loss)
  }

  /// Returns the extended attributes of a claimed file; none if the daemon may not read the file, which the job asks about.
  private func attributes(
    _ place: ClaimPlace, _ facts: FileFacts, _ dropped: FileName
  ) throws(FileError) -> ([String: [UInt8]], Message?) {
    guard place.directory.mayHaveAttributes(place.name) else { return ([:], nil) }
    let file = try unless(EACCES) { () throws(FileError) in try place.directory.open(place.name, whose: facts) }
    return try file.map { file throws(FileError) in try attributes(of: file, dropped) } ?? ([:], nil)
  }

  /// Returns the attributes of a file that was dropped under this name, and the reason why some of them are missing; nil if none are.
  func attributes(of file: OpenFile, _ name: FileName) throws(FileError) -> ([String: [UInt8]], Message?) {
    let attributes = try file.attributes(
      where: Claim.isWanted, count: Claim.attributeCount, bytes: Claim.attributeBytes)
    guard attributes.wasCut else { return (attributes.values, nil) }
    return (
      attributes.values,
      .attributesTooMany(name: name.shown, count: Claim.attributeCount, size: Claim.attributeBytes)
    )
  }
}

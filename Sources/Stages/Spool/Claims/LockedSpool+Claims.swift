import Glibc
package import Jobs
package import Linux

/// Operations on a whole claim of any kind.
extension LockedSpool {
  /// Returns true if a claim is in its place, or something that its disposal removes later: its sidecar, or the mark of its copy
  /// in the archive.
  package func hasClaim(_ claim: ClaimReference) throws(FileError) -> Bool {
    if let sidecar = claim.parcel.sidecar,
      try shelf(sidecar.pattern)?.facts(of: claim.id, claim.name) != nil
    {
      return true
    }
    if try exists(Archive.mark(claim.id), in: claims) { return true }
    return try stands(claim)
  }

  /// Removes a claim and everything that belongs to it, without checking its contents. It is no error if it is gone.
  package func removeUnchecked(_ claim: ClaimReference) throws(FileError) {
    requireClaimed(claim)
    _ = kept.remove(claim.id)
    if let place = try ifPresent({ () throws(FileError) in try claims.place(of: claim.id, claim.name) }),
      try place.directory.removeWhole(place.name)
    {
      Failpoint.fileRemoved.pass()
    }
    try claims.clearPlace(of: claim.id, claim.name)
    if let sidecar = claim.parcel.sidecar { try removeSidecar(sidecar.pattern, claim.id, claim.name) }
    try clear(claim)
  }

  /// Returns the time of the last change of a claim, in nanoseconds since the Unix epoch, and whether one of its files is open
  /// for writing, as far as a lease shows that.
  package func lastChange(of claim: ClaimReference) throws(FileError) -> (changed: Int64, isOpen: Bool) {
    guard claim.parcel.group != nil else {
      let (directory, claimed) = try claims.place(of: claim.id, claim.name)
      let facts = try directory.facts(of: claimed)
      return (facts.changed, leased.covers(facts) && directory.writers(of: claimed, whose: facts) == .some)
    }
    let root = try groupDirectory(claim)
    var isOpen = false
    let look = try GroupLook(root, marker: nil) { file throws(FileError) in
      guard !isOpen, leased.covers(file.facts) else { return }
      let (directory, last) = try GroupTree.location(file.path, in: root)
      isOpen = directory.writers(of: last, whose: file.facts) == .some
    }
    return (look.changed, isOpen)
  }

  /// Renames a claim to the place of another id, replacing nothing, and makes that durable. From then on it is a claim without a
  /// row, which the next start would admit under the new id.
  ///
  /// - Returns: the claim under its new id.
  package func readmit(_ claim: ClaimReference, as newID: JobID) throws(FileError) -> Claim {
    requireClaimed(claim)
    _ = kept.remove(claim.id)
    let place = try claims.place(of: claim.id, claim.name)
    let read = try read(claim, at: place)
    let readmitted: Claim
    switch try adopt(read, as: newID) {
    case .done(let adopted): readmitted = adopted
    case .refused:
      throw FileError("readmit", path: "\(place.directory.path)/\(FileName(bytes: place.name).shown)", errno: EEXIST)
    case .unseen(let error): throw error
    }
    Failpoint.readmissionRenamed.pass()
    try sync([readmitted], for: .readmission)
    Failpoint.readmissionSynced.pass()
    // The mark under the old id belongs to the version that was archived.
    try clear(claim)
    try forgetSidecars(leftBy: [read])
    return readmitted
  }

  /// Reads a claim again, with the facts that it has at this moment.
  private func read(_ claim: ClaimReference, at place: ClaimPlace) throws(FileError) -> Claim {
    guard let group = claim.parcel.group else {
      let facts = try place.directory.facts(of: place.name)
      return try read(claim.id, claim.name, at: place, facts, withSidecar: true).claim
    }
    guard let read = try self.group(place.name, claim.id, claim.name, marker: group.marker) else {
      throw FileError("readmit", path: "\(claims.path)/\(FileName(bytes: place.name).shown)", errno: ENOTDIR)
    }
    return read
  }
}

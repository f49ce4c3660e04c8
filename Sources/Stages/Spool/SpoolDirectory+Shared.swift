import Glibc
public import Jobs
public import Linux

/// A spool that several hosts have: one holds it, the others stand by.
extension SpoolDirectory {
  /// True if several hosts have the spool.
  public var isShared: Bool { daemon != nil }

  /// True if this daemon may work in it, as far as is known: it is not shared, or held.
  public var isHeld: Bool { !isShared || present != nil }

  /// True if ``confirmHold()`` would return at once.
  public var isHoldFresh: Bool { !isShared || present?.tenure?.isFresh == true }

  /// Makes sure that this daemon may work in the spool. It asks the file system, at most once a second.
  public func confirmHold() throws(LostHold) {
    guard isShared else { return }
    guard let tenure = present?.tenure else {
      throw LostHold(options.name, holder: status.holder, "it stands by")
    }
    try tenure.look()
  }

  /// Ends this host's time with the spool, because nobody can tell whether it still holds it.
  public func loseHold(_ reason: String) { present?.tenure?.end(reason) }

  /// The time since which this daemon holds the spool; nil if it is not shared or not held.
  public var heldSince: Timestamp? { present?.tenure?.began }

  /// Returns the link that stands beside a claimed file; nil if there is none.
  public func storedRecord(_ id: JobID) throws(FileError) -> StoredRecord? { try held().storedRecord(id) }

  /// Writes a link beside its claimed file, durably, unless one stands there.
  ///
  /// - Parameter members: the lines of a group's files (``StoredMembers/lines(_:)``).
  /// - Returns: the link that stands there now, which every host registers.
  public func publish(
    _ record: StoredRecord, members: [UInt8] = [], _ id: JobID
  ) throws(FileError) -> StoredRecord {
    try held().publish(record, members: members, id)
  }

  /// Returns the files of a group that stand beside it with its link; nil if there is no link.
  package func storedMembers(_ id: JobID) throws(FileError) -> StoredMembers? { try held().storedMembers(id) }

  /// Durably removes a link that counts no more, because its object is removed.
  public func removeStored(_ id: JobID) throws(FileError) { try held().removeStored(id) }

  /// Returns the end of a job that stands beside its claimed file; nil if there is none.
  public func stop(_ id: JobID) throws(FileError) -> Inheritance.Stop? { try held().stop(id) }

  /// Writes the end of a job beside its claimed file, durably.
  public func setStop(_ stop: Inheritance.Stop, _ id: JobID) throws(FileError) { try held().setStop(stop, id) }

  /// Durably removes the end of a job that goes on.
  public func removeStop(_ id: JobID) throws(FileError) { try held().removeStop(id) }

  /// Returns a claim with what stands beside its file.
  ///
  /// - Parameter host: the host that held the spool before.
  public func inheritance(_ claim: Claim, from host: String?) throws(FileError) -> Inheritance {
    let held = try held()
    let record = try held.storedRecord(claim.id)
    return Inheritance(
      identity: record?.identity ?? claim.identity, stored: record?.stored, stop: try held.stop(claim.id), from: host)
  }

  /// Removes records whose file is gone, and those that other hosts left unfinished.
  public func sweepRecords(_ isLeft: (JobID) throws -> Bool) throws { try held().sweepRecords(isLeft) }

  /// The ids of what is claimed, in the directory that is held, whatever its path leads to by now: also of sidecars whose document is
  /// gone.
  public func standingIDs() throws(FileError) -> Set<JobID> {
    let held = try held()
    var ids = try StandingClaims.ids(in: held.claims)
    for shelf in try SidecarShelf.all(in: held.claims) { ids.formUnion(try StandingClaims.ids(in: shelf.directory)) }
    return ids
  }

  /// The ids of the records that stand in the spool.
  public func recordIDs() throws -> [JobID] {
    var ids: Set<JobID> = []
    try held().sweepRecords { id in
      ids.insert(id)
      return false
    }
    return Array(ids)
  }
}

import Glibc
public import Jobs
public import Linux

/// A spool that several hosts share: one of them holds it, the others stand by.
extension SpoolDirectory {
  /// True if several hosts share the spool.
  public var isShared: Bool { daemon != nil }

  /// True if this daemon may work in it, as far as is known: it is not shared, or this daemon holds it.
  public var isHeld: Bool { !isShared || present != nil }

  /// True if ``confirmLock()`` would return without asking the file system.
  public var isLockFresh: Bool { !isShared || present?.tenure?.isFresh == true }

  /// Returns if this daemon may work in the spool, and throws otherwise. It asks the file system at most once a second.
  public func confirmLock() throws(LostLock) {
    guard isShared else { return }
    guard let tenure = present?.tenure else {
      throw LostLock(options.name, holder: status.holder, "it stands by")
    }
    try tenure.look()
  }

  /// The reason why a job of the spool accepts no command while this host has the lock and has not read all claimed files yet.
  public var takeoverInProgress: LostLock {
    LostLock(options.name, holder: nil, "it is still being taken over: try again in some seconds")
  }

  /// Ends this host's tenure, because it is not known whether it still holds the spool.
  public func loseLock(_ reason: String) { present?.tenure?.end(reason) }

  /// Returns the link that stands beside a claimed file; nil if there is none.
  public func storedRecord(_ id: JobID) throws(FileError) -> StoredRecord? { try held().storedRecord(id) }

  /// Writes a link record beside its claimed file, durably, unless there is one.
  ///
  /// - Parameter members: the lines of a group's files (``StoredMembers/lines(_:)``).
  /// - Returns: the record that is there after this call. Every host registers its link.
  public func publish(
    _ record: StoredRecord, members: [UInt8] = [], _ id: JobID
  ) throws(FileError) -> StoredRecord {
    try held().publish(record, members: members, id)
  }

  /// Returns the files that the link record of a group lists; nil if there is no record.
  package func storedMembers(_ id: JobID) throws(FileError) -> StoredMembers? { try held().storedMembers(id) }

  /// Durably removes a link record that is not valid any more, because its object is removed.
  public func removeStored(_ id: JobID) throws(FileError) { try held().removeStored(id) }

  /// Returns the record of a job's end beside its claimed file; nil if there is none.
  public func stop(_ id: JobID) throws(FileError) -> Inheritance.Stop? { try held().stop(id) }

  /// Durably writes the record of a job's end beside its claimed file.
  public func setStop(_ stop: Inheritance.Stop, _ id: JobID) throws(FileError) { try held().setStop(stop, id) }

  /// Durably removes the record of the end of a job that continues.
  public func removeStop(_ id: JobID) throws(FileError) { try held().removeStop(id) }

  /// Returns what a claim inherits from the host that held the spool before: the records beside its file.
  ///
  /// - Parameter host: the previous holder.
  public func inheritance(_ claim: Claim, from host: String?) throws(FileError) -> Inheritance {
    let held = try held()
    let record = try held.storedRecord(claim.id)
    return Inheritance(
      identity: record?.identity ?? claim.identity, stored: record?.stored, stop: try held.stop(claim.id), from: host)
  }

  /// Removes the records for which `isLeft` returns true, because their file is gone, and the incomplete records of other hosts.
  public func sweepRecords(_ isLeft: (JobID) throws -> Bool) throws { try held().sweepRecords(isLeft) }

  /// The ids of all claims, and of claimed sidecars without a document, in the directory that is held, even if its path leads
  /// elsewhere by now.
  public func claimedIDs() throws(FileError) -> Set<JobID> {
    let held = try held()
    var ids = try ClaimedIDs.ids(in: held.claims)
    for shelf in try SidecarShelf.all(in: held.claims) { ids.formUnion(try ClaimedIDs.ids(in: shelf.directory)) }
    return ids
  }

  /// The ids of the records in the spool.
  public func recordIDs() throws -> [JobID] {
    var ids: Set<JobID> = []
    try held().sweepRecords { id in
      ids.insert(id)
      return false
    }
    return Array(ids)
  }
}

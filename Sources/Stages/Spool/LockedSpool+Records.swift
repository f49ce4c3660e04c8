import Glibc
import Jobs
import Linux

/// The records beside claimed files in a shared spool. The next holder of the spool continues with the help of these.
extension LockedSpool {
  private static let storedSuffix = Array(".stored".utf8)
  private static let stoppedSuffix = Array(".stopped".utf8)

  private static func stored(_ id: JobID) -> [UInt8] { id.ascii + storedSuffix }
  private static func stopped(_ id: JobID) -> [UInt8] { id.ascii + stoppedSuffix }

  /// Returns the link record beside a claimed file; nil if there is none.
  func storedRecord(_ id: JobID) throws(FileError) -> StoredRecord? {
    try RecordFile.read(Self.stored(id), as: StoredRecord.self, from: claims)
  }

  /// Returns the files that the link record of a group lists; nil if there is no record.
  func storedMembers(_ id: JobID) throws(FileError) -> StoredMembers? {
    guard var lines = try RecordFile.lines(Self.stored(id), from: claims),
      let record = try lines.next(as: StoredRecord.self)
    else { return nil }
    return StoredMembers(record, lines)
  }

  /// Returns the record of the end of a file's job; nil if there is none.
  func stop(_ id: JobID) throws(FileError) -> Inheritance.Stop? {
    try RecordFile.read(Self.stopped(id), as: StopRecord.self, from: claims)?.stop
  }

  /// Writes a link record beside its file, durably, unless there is one. All hosts register the link that was written first.
  ///
  /// - Parameter members: the lines of a group's files.
  /// - Returns: the record that is there after this call.
  func publish(_ record: StoredRecord, members: [UInt8], _ id: JobID) throws(FileError) -> StoredRecord {
    let name = Self.stored(id)
    let file = try RecordFile.write(
      try RecordFile.encode(record, name) + members, for: name, by: writer, in: claims, .recordBytes)
    Failpoint.recordWritten.pass()
    do throws(FileError) {
      try claims.publish(file, as: name)
    } catch {
      try RecordFile.remove(file, from: claims)
      guard error.errno == EEXIST, let existing = try storedRecord(id) else { throw error }
      // Its writer may not have synced the name yet.
      try claims.sync(.recordEntry)
      return existing
    }
    Failpoint.recordNamed.pass()
    try claims.sync(.recordEntry)
    Failpoint.recordSynced.pass()
    return record
  }

  /// Durably writes the record of a job's end beside its file. It replaces an earlier one.
  func setStop(_ stop: Inheritance.Stop, _ id: JobID) throws(FileError) {
    let name = Self.stopped(id)
    let file = try RecordFile.write(
      try RecordFile.encode(StopRecord(stop), name), for: name, by: writer, in: claims, .recordBytes)
    Failpoint.stopWritten.pass()
    try claims.rename(file, replacing: name)
    Failpoint.stopNamed.pass()
    try claims.sync(.recordEntry)
    Failpoint.stopSynced.pass()
  }

  /// Durably removes the record of the end of a job that continues.
  func removeStop(_ id: JobID) throws(FileError) {
    try RecordFile.remove(Self.stopped(id), from: claims)
    Failpoint.stopRemoved.pass()
    try claims.sync(.recordRemoval)
  }

  /// Durably removes a link record that is not valid any more, because its object is removed.
  func removeStored(_ id: JobID) throws(FileError) {
    try RecordFile.remove(Self.stored(id), from: claims)
    try claims.sync(.recordRemoval)
  }

  /// Removes the records beside a claim, once everything that belongs to the claim is gone. Earlier would be wrong: without its
  /// link record the file would be sent again, and without any record nobody would know that a remaining sidecar has no document
  /// to wait for.
  func clearRecords(_ id: JobID) throws(FileError) {
    guard tenure != nil else { return }
    try RecordFile.remove(Self.stored(id), from: claims)
    try RecordFile.remove(Self.stopped(id), from: claims)
  }

  /// - Throws: ENOLCK unless this daemon still holds the shared spool.
  func confirmLock() throws(FileError) {
    guard let tenure else { return }
    do throws(LostLock) {
      try tenure.look()
    } catch {
      throw FileError("use", path: claims.path, errno: ENOLCK, advice: "\(error)")
    }
  }

  /// Proves that the file system can name a record without replacing another one. Two hosts that write the same record rely on
  /// it.
  static func tryRecord(_ claims: Directory) throws(FileError) {
    let trial = trialName + Array("-record".utf8)
    for name in [trial, trial + RecordFile.unfinished] { try RecordFile.remove(name, from: claims) }
    let file = try RecordFile.write([], for: trial, by: [], in: claims, .holder)
    do throws(FileError) {
      try claims.publish(file, as: trial)
    } catch {
      try RecordFile.remove(file, from: claims)
      throw error
    }
    try RecordFile.remove(trial, from: claims)
  }

  /// Calls `isLeft` with the id of each record and of each mark of an archived copy. It returns true if the file of that id is
  /// gone; then the record is removed. Incomplete records of other tenures are removed too.
  func sweepRecords(_ isLeft: (JobID) throws -> Bool) throws {
    let listing = try claims.listing()
    while let entry = try listing.next() {
      let name = entry.name
      if name.starts(with: HolderFile.name + RecordFile.unfinished), !name.ends(with: writer) {
        try RecordFile.remove(name, from: claims)
        continue
      }
      guard name.count > Self.idLength, let id = ClaimedPath.id(name.prefix(Self.idLength)) else { continue }
      let suffix = name[Self.idLength...]
      if suffix.elementsEqual(Self.storedSuffix) || suffix.elementsEqual(Self.stoppedSuffix) || name == Archive.mark(id)
      {
        if try isLeft(id) { try RecordFile.remove(name, from: claims) }
      } else if suffix.starts(with: Self.storedSuffix + RecordFile.unfinished)
        || suffix.starts(with: Self.stoppedSuffix + RecordFile.unfinished), !name.ends(with: writer)
      {
        try RecordFile.remove(name, from: claims)
      }
    }
  }

  private static let idLength = 36

  private var writer: [UInt8] { Array((tenure?.id ?? "").utf8) }
}

extension [UInt8] {
  fileprivate func ends(with other: [UInt8]) -> Bool { suffix(other.count).elementsEqual(other) }
}

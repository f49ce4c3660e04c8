import Glibc
import Jobs
import Linux

/// The records beside claimed files in a shared spool, for the host that goes on with them.
extension HeldSpool {
  private static let storedSuffix = Array(".stored".utf8)
  private static let stoppedSuffix = Array(".stopped".utf8)

  private static func stored(_ id: JobID) -> [UInt8] { id.ascii + storedSuffix }
  private static func stopped(_ id: JobID) -> [UInt8] { id.ascii + stoppedSuffix }

  /// Returns the link that stands beside a file; nil if there is none.
  func storedRecord(_ id: JobID) throws(FileError) -> StoredRecord? {
    try RecordFile.read(Self.stored(id), as: StoredRecord.self, from: claims)
  }

  /// Returns the files of a group that stand beside it with its link; nil if there is no link.
  func storedMembers(_ id: JobID) throws(FileError) -> StoredMembers? {
    guard var lines = try RecordFile.lines(Self.stored(id), from: claims),
      let record = try lines.next(as: StoredRecord.self)
    else { return nil }
    return StoredMembers(record, lines)
  }

  /// Returns the end that stands beside a file; nil if there is none.
  func stop(_ id: JobID) throws(FileError) -> Inheritance.Stop? {
    try RecordFile.read(Self.stopped(id), as: StopRecord.self, from: claims)?.stop
  }

  /// Writes a link beside its file, durably, unless one stands there. Whichever host was first, all register what it wrote.
  ///
  /// - Parameter members: the lines of a group's files.
  /// - Returns: the link that stands there now.
  func publish(_ record: StoredRecord, members: [UInt8], _ id: JobID) throws(FileError) -> StoredRecord {
    let name = Self.stored(id)
    let file = try RecordFile.write(
      try RecordFile.encode(record, name) + members, for: name, by: writer, in: claims, .recordBytes)
    Failpoint.recordWritten.pass()
    do throws(FileError) {
      try claims.publish(file, as: name)
    } catch {
      try RecordFile.remove(file, from: claims)
      guard error.errno == EEXIST, let standing = try storedRecord(id) else { throw error }
      // It may have got its name just now.
      try claims.sync(.recordEntry)
      return standing
    }
    Failpoint.recordNamed.pass()
    try claims.sync(.recordEntry)
    Failpoint.recordSynced.pass()
    return record
  }

  /// Writes the end of a job beside its file, durably, in place of what stands there.
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

  /// Durably removes the end of a job that goes on.
  func removeStop(_ id: JobID) throws(FileError) {
    try RecordFile.remove(Self.stopped(id), from: claims)
    Failpoint.stopRemoved.pass()
    try claims.sync(.recordRemoval)
  }

  /// Durably removes a link that counts no more, because its object is removed.
  func removeStored(_ id: JobID) throws(FileError) {
    try RecordFile.remove(Self.stored(id), from: claims)
    try claims.sync(.recordRemoval)
  }

  /// Removes what stands beside a claim, once all that belongs to it is gone. Not before: without its link it would be sent again, and
  /// without a record nobody would know that a sidecar which is left has no document to wait for.
  func clearRecords(_ id: JobID) throws(FileError) {
    guard tenure != nil else { return }
    try RecordFile.remove(Self.stored(id), from: claims)
    try RecordFile.remove(Self.stopped(id), from: claims)
  }

  /// Makes sure that this daemon still holds a shared spool.
  func confirmHold() throws(FileError) {
    guard let tenure else { return }
    do throws(LostHold) {
      try tenure.look()
    } catch {
      throw FileError("use", path: claims.path, errno: ENOLCK, advice: "\(error)")
    }
  }

  /// Proves that a record can be written that replaces nothing: two hosts rely on it.
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

  /// Passes the id of each record, whole or not, and of each mark of an archived copy to `body`; it returns true for those whose file is
  /// gone, which are removed. Records that another tenure left unfinished are removed.
  func sweepRecords(_ isLeft: (JobID) throws -> Bool) throws {
    let listing = try claims.listing()
    while let entry = try listing.next() {
      let name = entry.name
      if name.starts(with: HolderFile.name + RecordFile.unfinished), !name.ends(with: writer) {
        try RecordFile.remove(name, from: claims)
        continue
      }
      guard name.count > Self.idLength, let id = ClaimedPlace.id(name.prefix(Self.idLength)) else { continue }
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

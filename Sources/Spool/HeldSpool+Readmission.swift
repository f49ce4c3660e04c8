import Failpoints
import Glibc
public import Jobs
public import LinuxFiles

extension HeldSpool {
  /// Renames a claimed file to the place of another id, replaces nothing, and makes that durable. From then on it is a file
  /// without a row; the next start would admit it under that id.
  func readmit(_ id: JobID, _ name: FileName, as newID: JobID) throws(FileError) -> Claim {
    _ = kept.take(id)
    let (directory, claimed) = try location(of: id, name)
    let facts = try directory.facts(of: claimed)
    let (old, _) = try read(id, name, at: (directory, claimed), facts, withSidecar: true)
    let claim: Claim
    switch try adopt(old, as: newID) {
    case .done(let adopted): claim = adopted
    case .refused:
      throw FileError("readmit", path: "\(directory.path)/\(FileName(bytes: claimed).shown)", errno: EEXIST)
    case .unseen(let error): throw error
    }
    Failpoint.readmissionRenamed.pass()
    try sync([claim], for: .readmission)
    Failpoint.readmissionSynced.pass()
    try removeMark(id)
    try clearRecords(id)
    try forgetSidecars(leftBy: [old])
    return claim
  }
}

extension SpoolDirectory {
  /// True if somebody has a claimed file open for writing, as far as a lease can tell. A lease can tell for files of the
  /// daemon's own user, or for all files with CAP_LEASE. False if it cannot tell.
  public func isBeingWritten(_ id: JobID, _ name: FileName) throws(FileError) -> Bool {
    let held = try held()
    let (directory, claimed) = try held.location(of: id, name)
    let facts = try directory.facts(of: claimed)
    guard held.mayLease(facts) else { return false }
    return directory.writers(of: claimed, whose: facts) == .some
  }
}

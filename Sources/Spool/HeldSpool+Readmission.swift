import Failpoints
import Glibc
public import Jobs
public import LinuxFiles

extension HeldSpool {
  /// Renames a claimed file to the place of another id, replacing nothing, and makes that durable: from then on a file
  /// without a row, which the next start would admit under that id.
  func readmit(_ id: JobID, _ name: FileName, as newID: JobID) throws(FileError) -> Claim {
    let (directory, claimed) = try place(id, name)
    let facts = try directory.facts(of: claimed)
    let (attributes, _) = attributes(directory, claimed, facts)
    let old = Claim(id: id, dropped: name, identity: FileIdentity(facts), attributes: attributes)
    let claim = try adopt(old, as: newID)
    guard claim.id == newID else {
      throw FileError("readmit", path: "\(directory.path)/\(FileName(bytes: claimed).shown)", errno: EEXIST)
    }
    Failpoint.readmissionRenamed.pass()
    try sync([claim], for: .readmission)
    Failpoint.readmissionSynced.pass()
    return claim
  }
}

extension SpoolDirectory {
  /// Whether somebody has a claimed file open for writing, as far as a lease can tell: of a file of the daemon's own user,
  /// or of any with CAP_LEASE. False where it cannot.
  public func isBeingWritten(_ id: JobID, _ name: FileName) throws(FileError) -> Bool {
    let held = try held()
    let (directory, claimed) = try held.place(id, name)
    let facts = try directory.facts(of: claimed)
    guard held.mayLease(facts) else { return false }
    return directory.writers(of: claimed, whose: facts) == .some
  }
}

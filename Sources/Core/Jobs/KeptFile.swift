/// A file of a spool whose files stay where they are (`after = "keep"`), as the list of sent files knows it.
public struct KeptFile: Hashable, Sendable {
  /// The name, preceded by the path in the spool.
  public var name: FileName
  /// The facts of its bytes.
  public var identity: FileIdentity
  /// The name of the medium's mount to which inode and ctime belong, if the file system's inodes do not last longer; nil if they do.
  public var epoch: String?

  package init(name: FileName, identity: FileIdentity, epoch: String? = nil) {
    self.name = name
    self.identity = identity
    self.epoch = epoch
  }

  /// True if nothing shows that this is another file than the recorded one, or that it was written to since. Names are not compared.
  public func hasFacts(of recorded: KeptFile) -> Bool {
    guard epoch != nil || recorded.epoch != nil else { return identity == recorded.identity }
    return epoch == recorded.epoch && identity.mayHoldBytes(of: recorded.identity)
  }
}

/// The standing of a file in the list of sent files.
public enum KeptStanding: Hashable, Sendable {
  /// The file becomes a job.
  case new
  /// This job has sent the file as it is, or is not over.
  case known(JobNumber)
  /// The list is full, and all files on it are still there.
  case full
  /// The list was lost after the file was made: a person is asked.
  case mayHaveBeenSent
}

/// A directory whose files stay where they are, as found when it was opened.
public struct KeptSource: Hashable, Sendable {
  package var path: String
  /// The name of the medium's mount, if the file system's inodes do not last longer; nil if they do.
  public var epoch: String?
  /// The ledger that has the list of sent files, by the note in the state directory; nil without a note.
  public var ledger: String?

  package init(path: String, epoch: String?, ledger: String?) {
    self.path = path
    self.epoch = epoch
    self.ledger = ledger
  }
}

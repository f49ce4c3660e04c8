public import Jobs
public import Linux

/// A claimed file that has no job yet, because it cannot be read. The daemon tries again by itself.
public struct SetAside: Sendable {
  /// The id in its claimed name.
  public let id: JobID
  /// The name that it was dropped under, preceded by its path.
  public let dropped: FileName
  /// The error of the failed read.
  public let error: FileError

  init(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    self.id = id
    self.dropped = dropped
    self.error = error
  }
}

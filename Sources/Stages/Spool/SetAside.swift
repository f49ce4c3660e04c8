public import Jobs
public import Linux

/// A claimed file that cannot be taken over yet, because it, or what stands beside it in a shared spool, cannot be read. It is tried
/// again by itself.
public struct SetAside: Sendable {
  /// The id that it carries.
  public let id: JobID
  /// The name that it was dropped under, with the path before it.
  public let dropped: FileName
  /// The reason.
  public let error: FileError

  init(_ id: JobID, _ dropped: FileName, _ error: FileError) {
    self.id = id
    self.dropped = dropped
    self.error = error
  }

  /// Sets a file aside.
  public init(_ claim: Claim, _ error: FileError) { self.init(claim.id, claim.dropped, error) }
}

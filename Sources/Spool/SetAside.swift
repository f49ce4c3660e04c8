public import LinuxFiles

/// A claimed file in a shared spool that is not taken over yet, because what stands beside it cannot be read. It is tried again
/// by itself.
public struct SetAside: Sendable {
  /// The file.
  public let claim: Claim
  /// The reason.
  public let error: FileError

  /// Sets a file aside.
  public init(_ claim: Claim, _ error: FileError) {
    self.claim = claim
    self.error = error
  }
}

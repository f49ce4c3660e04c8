/// The files that a job sends: what was fixed about them at its admission, besides the facts of the document itself.
public enum Parcel: Hashable, Sendable {
  /// One file.
  case file
  /// One file with the description that came beside it.
  case withSidecar(Sidecar)

  /// The description of a document, claimed together with it.
  public struct Sidecar: Hashable, Sendable {
    /// The pattern of its name.
    public var pattern: SidecarPattern
    /// The facts of its bytes when it was claimed.
    public var identity: FileIdentity

    /// Creates a record of a sidecar.
    public init(pattern: SidecarPattern, identity: FileIdentity) {
      self.pattern = pattern
      self.identity = identity
    }
  }

  /// The sidecar, if there is one.
  public var sidecar: Sidecar? {
    switch self {
    case .file: nil
    case .withSidecar(let sidecar): sidecar
    }
  }
}

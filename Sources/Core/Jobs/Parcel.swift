/// The files that a job sends, as fixed at its admission, besides the facts of the document itself.
public enum Parcel: Hashable, Sendable {
  case file
  /// One file with the description that came beside it.
  case withSidecar(Sidecar)
  /// A directory with all files in it: many objects, and one registration.
  case group(Group)
  /// One file that stays where it was dropped, under its own name.
  case inPlace

  /// The description of a document, claimed together with it.
  public struct Sidecar: Hashable, Sendable {
    /// The pattern of its name.
    public var pattern: SidecarPattern
    /// The facts of its bytes when it was claimed.
    public var identity: FileIdentity

    package init(pattern: SidecarPattern, identity: FileIdentity) {
      self.pattern = pattern
      self.identity = identity
    }
  }

  /// A directory that is one unit.
  public struct Group: Hashable, Sendable {
    /// The pattern of the name of the marker, which is not sent; nil if all files are sent.
    public var marker: String?
    /// The number of files without the marker at the claim; nil if they could not be counted.
    public var files: Int?

    package init(marker: String?, files: Int?) {
      self.marker = marker
      self.files = files
    }
  }

  package var group: Group? { if case .group(let group) = self { group } else { nil } }

  package var sidecar: Sidecar? { if case .withSidecar(let sidecar) = self { sidecar } else { nil } }
}

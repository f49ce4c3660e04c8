/// A directory that was claimed as a whole.
public struct ClaimedGroup: Hashable, Sendable {
  /// The pattern of the name of the marker, which is not sent; nil if all files are sent.
  public let marker: String?
  /// The number of files, without the marker, when it was claimed; nil if they could not be counted.
  public let files: Int?

  /// A group with its number of files.
  init(marker: String?, files: Int?) {
    self.marker = marker
    self.files = files
  }
}

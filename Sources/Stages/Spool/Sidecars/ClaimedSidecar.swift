public import Jobs

/// The description that was claimed together with a document.
public struct ClaimedSidecar: Hashable, Sendable {
  /// The text of a sidecar when it was read, or the reason why it cannot be used.
  public enum Content: Hashable, Sendable {
    /// All its bytes.
    case bytes([UInt8])
    /// It cannot be used. The text continues a sentence that begins with its name.
    case unusable(String)
  }

  /// Its pattern and its facts, by which it is found and recognized.
  public let sidecar: Parcel.Sidecar
  /// Its content, read when it was claimed.
  public let content: Content
}

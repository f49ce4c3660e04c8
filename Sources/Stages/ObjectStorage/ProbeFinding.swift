/// One finding of a probe of a storage. Findings are in the order of the checks.
public struct ProbeFinding: Hashable, Sendable {
  /// The consequence of a finding for the configuration.
  public enum Weight: Hashable, Sendable {
    /// The storage behaves as configured.
    case fits
    /// It works, but another setting would fit better, or there is a fact worth knowing.
    case advice
    /// It does not work: jobs would fail because of it.
    case fault
  }

  /// The consequence for the configuration.
  public var weight: Weight
  /// The finding in words and, if needed, the remedy: lines of the configuration that fit the storage.
  public var words: String

  /// A finding with its words.
  public init(_ weight: Weight, _ words: String) {
    self.weight = weight
    self.words = words
  }
}

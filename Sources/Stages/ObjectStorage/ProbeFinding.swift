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
  /// The finding in words and, if needed, the remedy.
  public var words: String
  /// The settings that would help. They only make sense together.
  public var changes: [SettingChange]

  /// A finding with its words.
  public init(_ weight: Weight, _ words: String, changes: [SettingChange] = []) {
    self.weight = weight
    self.words = words
    self.changes = changes
  }
}

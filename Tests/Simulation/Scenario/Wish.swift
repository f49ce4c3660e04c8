/// The end that people want for a file that is not to be registered. They see to it once all trouble is over.
package struct Wish: Codable, Hashable, Sendable {
  /// The ends other than a registration.
  package enum Fate: String, Codable, Hashable, Sendable {
    /// Its job is cancelled, and the file stays where it is.
    case cancelled
    /// The same, and nothing of it is left at the storage.
    case removed
    case discarded
    /// The file is given back to ``ConfigurationPlan/releaseFolder``.
    case released
  }

  package var name: String
  package var fate: Fate

  package init(_ name: String, _ fate: Fate) {
    self.name = name
    self.fate = fate
  }
}

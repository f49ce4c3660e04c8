/// The state of the server after a job has ended without a registration; the raw value is the name that programs see as `remote`.
public enum Remote: String, Sendable, CaseIterable, Codable {
  /// Nothing of the job is there.
  case clean
  /// A ``Cleanup`` is still to be done there. It is retried until it is done.
  case pending
  /// The object is there, because nobody asked to remove it or because its removal was refused permanently.
  case objectLeft = "object-left"
}

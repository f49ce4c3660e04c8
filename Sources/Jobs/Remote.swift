/// How the far side stands after a cancel; the raw value is the name that programs see as `remote`.
public enum Remote: String, Sendable, CaseIterable, Codable {
  /// Nothing of the job is there.
  case clean
  /// Something is owed there: a ``Cleanup``. It goes on by itself until it is done.
  case pending
  /// The object is there, because nobody asked for its removal or because that was refused for good.
  case objectLeft = "object-left"
}

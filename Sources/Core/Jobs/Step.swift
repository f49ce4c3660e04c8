/// The two steps of a job, in this order.
public enum Step: String, Sendable, CaseIterable {
  /// Send the file's bytes to the storage.
  case upload
  /// Send the link to the backend.
  case register

  /// The noun that begins a sentence about the step.
  public var noun: String { self == .upload ? "Upload" : "Registration" }
}

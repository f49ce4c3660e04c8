/// The two things that a job does, in this order.
public enum Step: String, Sendable, CaseIterable, Codable {
  /// Send the file's bytes to the storage.
  case upload
  /// Tell the backend the link.
  case register

  /// How a sentence begins that speaks of the step.
  public var noun: String {
    switch self {
    case .upload: "Upload"
    case .register: "Registration"
    }
  }
}

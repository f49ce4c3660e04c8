/// The way in which people and programs name a job.
public enum JobReference: Hashable, Sendable, CustomStringConvertible {
  /// By its number.
  case number(JobNumber)
  /// By its identity.
  case id(JobID)

  /// Reads a number or an identity; nil for anything else.
  public init?(_ text: some StringProtocol) {
    if let number = Int64(text), number > 0, String(number) == text {
      self = .number(JobNumber(rawValue: number))
    } else if let id = JobID(text) {
      self = .id(id)
    } else {
      return nil
    }
  }

  /// The number or the identity.
  public var description: String {
    switch self {
    case .number(let number): number.description
    case .id(let id): id.description
    }
  }
}

/// An error: the job does not exist, or was removed.
public struct UnknownJob: Error, Hashable, Sendable {
  /// The job that was asked for.
  public var reference: JobReference

  /// Creates an error for a job that is not in the ledger.
  public init(_ reference: JobReference) { self.reference = reference }
}

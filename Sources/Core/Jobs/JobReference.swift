/// The way in which people and programs name a job.
public enum JobReference: Hashable, Sendable, CustomStringConvertible {
  case number(JobNumber)
  case id(JobID)
  /// By its host's name, or its ledger, and its number: only a fleet has several.
  case onHost(String, JobNumber)

  /// Reads a number, an identity or `HOST:NUMBER`; nil for anything else.
  public init?(_ text: some StringProtocol) {
    if let number = Int64(text), number > 0, String(number) == text {
      self = .number(JobNumber(rawValue: number))
    } else if let id = JobID(text) {
      self = .id(id)
    } else if let colon = text.lastIndex(of: ":"), (1...200).contains(text[..<colon].utf8.count),
      text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
      case .number(let number)? = JobReference(String(text[text.index(after: colon)...]))
    {
      self = .onHost(String(text[..<colon]), number)
    } else {
      return nil
    }
  }

  /// The number, the identity or `HOST:NUMBER`.
  public var description: String {
    switch self {
    case .number(let number): number.description
    case .id(let id): id.description
    case .onHost(let host, let number): "\(host):\(number)"
    }
  }
}

/// An error: the job does not exist, or was removed.
public struct UnknownJob: Error, Hashable, Sendable {
  package var reference: JobReference

  package init(_ reference: JobReference) { self.reference = reference }
}

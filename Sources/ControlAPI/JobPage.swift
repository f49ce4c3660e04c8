public import Jobs

/// A page of the list of jobs, ascending by number unless it was asked for otherwise.
public struct JobPage: Hashable, Sendable, Codable {
  /// The jobs.
  public var jobs: [JobMessage]
  /// What `after` has to be for the next page; nil on the last one. It is opaque.
  public var next: String?

  /// A page.
  public init(jobs: [JobMessage], next: String?) {
    self.jobs = jobs
    self.next = next
  }

  /// Writes both members; on the last page `next` is null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(jobs, forKey: .jobs)
    try container.encode(next, forKey: .next)
  }
}

/// Where a page of the list ended. Callers hand it back and read nothing into it.
public struct PageCursor: Hashable, Sendable, CustomStringConvertible {
  /// The last job of the page.
  public var after: JobNumber

  /// The place after a job.
  public init(after: JobNumber) { self.after = after }

  /// Reads what a page's `next` said; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.first == "j", let number = Int64(text.dropFirst(), radix: 36), number >= 0 else { return nil }
    self.after = JobNumber(rawValue: number)
  }

  /// The form for `next` and `after`.
  public var description: String { "j" + String(after.rawValue, radix: 36) }
}

public import Jobs

/// The position at which a page of the list ended. Callers send it back and do not interpret it.
public struct PageCursor: Hashable, Sendable, CustomStringConvertible {
  /// The last job of the page.
  public var after: JobNumber

  /// Creates the position after a job.
  public init(after: JobNumber) { self.after = after }

  /// Reads the `next` of a page; nil for anything else.
  public init?(_ text: some StringProtocol) {
    guard text.first == "j", let number = Int64(text.dropFirst(), radix: 36), number >= 0 else { return nil }
    self.after = JobNumber(rawValue: number)
  }

  /// The form for `next` and `after`.
  public var description: String { "j" + String(after.rawValue, radix: 36) }
}

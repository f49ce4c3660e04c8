public import Jobs

/// The position at which a page of the list ended. Callers send it back and do not interpret it.
public struct PageCursor: Hashable, Sendable, CustomStringConvertible {
  /// The last job of the page; 0 with ``place``.
  public var after: JobNumber
  /// The position in the list of a fleet: `LEDGER.ID`, or `.ID` after all jobs of this id. Nil for a daemon.
  public var place: String?

  /// Creates the position after a job.
  public init(after: JobNumber) { self.after = after }

  /// Creates a position in the list of a fleet.
  public init(place: String) { (after, self.place) = (JobNumber(rawValue: 0), place) }

  /// Creates the position after a job of a daemon or of a fleet.
  public init(after job: JobMessage) {
    if job.host == nil {
      self.init(after: JobNumber(rawValue: job.job))
    } else {
      self.init(place: "." + job.id)
    }
  }

  /// Reads the `next` of a page; nil for anything else.
  public init?(_ text: some StringProtocol) {
    if text.first == "f" {
      let parts = text.dropFirst().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].isEmpty || JobID(parts[0]) != nil, parts[1].unicodeScalars.count <= 200 else {
        return nil
      }
      (after, place) = (JobNumber(rawValue: 0), String(text.dropFirst()))
      return
    }
    guard text.first == "j", let number = Int64(text.dropFirst(), radix: 36), number >= 0 else { return nil }
    self.after = JobNumber(rawValue: number)
  }

  /// The form for `next` and `after`.
  public var description: String { place.map { "f" + $0 } ?? "j" + String(after.rawValue, radix: 36) }
}

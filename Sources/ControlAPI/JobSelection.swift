public import Jobs

/// Which jobs a command for many is about.
public enum JobSelection: Hashable, Sendable {
  /// Those that a filter finds.
  case filter(JobFilter)
  /// Those named.
  case list([JobReference])
  /// Every job that the command fits.
  case all
}

/// How a command for many went.
public struct BulkAnswer: Hashable, Sendable, Codable {
  /// A job that the command did not fit.
  public struct Refused: Hashable, Sendable, Codable {
    /// The job as the caller named it, or its number.
    public var job: String
    /// Why, in words.
    public var detail: String

    /// A job that was left as it is.
    public init(job: String, detail: String) {
      self.job = job
      self.detail = detail
    }
  }

  /// The most refusals that an answer lists.
  public static let mostListed = 100

  /// How many jobs were changed.
  public var done: Int
  /// How many were left as they are.
  public var refused: Int
  /// The first of those that were left as they are, at most ``mostListed``.
  public var refusals: [Refused]

  /// An answer; of more refusals than ``mostListed`` the first are kept.
  public init(done: Int, refused: Int, refusals: [Refused]) {
    self.done = done
    self.refused = refused
    self.refusals = Array(refusals.prefix(Self.mostListed))
  }
}

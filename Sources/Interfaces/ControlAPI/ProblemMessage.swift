/// A problem that keeps the daemon from working as it should, for as long as it lasts.
public struct ProblemMessage: Hashable, Sendable, Codable {
  /// The fault, in words. Escape it before showing it.
  public var what: String
  /// The time since which it lasts.
  public var since: MessageTime
  /// The remedy that a person has; empty if there is none.
  public var remedy: String

  /// Creates a problem from its words.
  public init(what: String, since: MessageTime, remedy: String) {
    self.what = what
    self.since = since
    self.remedy = remedy
  }
}

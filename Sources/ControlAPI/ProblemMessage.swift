/// Something that keeps the daemon from working as it should, for as long as it lasts.
public struct ProblemMessage: Hashable, Sendable, Codable {
  /// What does not work, in words. Escape it before showing it.
  public var what: String
  /// Since when.
  public var since: MessageTime
  /// What a person can do about it; empty where nothing.
  public var remedy: String

  /// A problem in words.
  public init(what: String, since: MessageTime, remedy: String) {
    self.what = what
    self.since = since
    self.remedy = remedy
  }
}

public import Jobs
import Messages

extension ProblemDocument {
  /// The refusal of an answer to a group that has changed into another one, or, without `group`, into none.
  public static func changed(_ number: JobNumber, to group: ReasonGroup?) -> ProblemDocument {
    let number = number.rawValue
    let said = group.map {
      Message.groupChanged(group: number, count: $0.count, state: $0.state.rawValue, step: $0.step.rawValue)
    }
    return ProblemDocument(.groupChanged, saying: said ?? .groupGone(group: number), group: group)
  }
}

/// The properties that the jobs of a group share.
public struct ReasonKey: Hashable, Sendable {
  /// The state of the jobs.
  public let state: JobState
  /// The step of the jobs.
  public let step: Step
  /// The failure's kind, or `held`; nil if there is no reason.
  public let kind: String?
  /// The HTTP status of the failure.
  public let status: Int?
  /// The reason with `…` for the parts that differ.
  public let pattern: String

  static let held = "held"

  /// True if the reason is a hold.
  public var isHeld: Bool { kind == Self.held }

  /// The reason why a job is in its state: what holds it, otherwise its failure; none for a job that makes progress or is done.
  static func reason(of job: JobMessage) -> Message { job.heldBy?.said ?? failure(of: job)?.message ?? .text("") }

  private static func failure(of job: JobMessage) -> ErrorMessage? { job.state == .registered ? nil : job.error }

  private static func pattern(of failure: ErrorMessage, _ job: JobMessage) -> String {
    // The path of a file, or that of one file of a group, is a whole text of the message.
    let words = (failure.message.coded?.mapTexts { isPath($0) ? "…" : $0 } ?? failure.message).text
    let last = job.name.split(separator: "/").last.map(String.init) ?? job.name
    return ReasonText(words, names: job.name == last ? [last] : [job.name, last]).pattern
  }

  private static func isPath(_ text: String) -> Bool {
    text.contains("/") && !text.contains("://") && !text.contains(where: \.isWhitespace)
  }
}

extension ReasonKey {
  /// The key of a job's group.
  public init(of job: JobMessage) {
    var (kind, status, pattern): (String?, Int?, String) = (nil, nil, "")
    if let hold = job.heldBy {
      (kind, pattern) = (Self.held, ReasonText(hold.said.text).pattern)
    } else if let failure = Self.failure(of: job) {
      (kind, status, pattern) = (failure.kind.rawValue, failure.status, Self.pattern(of: failure, job))
    }
    self.init(state: job.state, step: job.step, kind: kind, status: status, pattern: pattern)
  }
}

/// Counts jobs by state, step and reason. The memory grows with the number of reasons, which is limited.
public struct ReasonCount: Sendable {
  /// The maximum number of reasons, which is more than a person reads. Further reasons are counted together for each state and
  /// step.
  public static let most = 1000
  private static let further = "other reasons"

  private var groups: [ReasonKey: ReasonGroup] = [:]
  private let filter: JobFilter
  private let clock: Duration

  /// Creates a count of the jobs that a filter finds. `clock` is the time by which the wall clock is ahead of the steady one.
  public init(_ filter: JobFilter, clock: Duration) {
    self.filter = filter
    self.clock = clock
  }

  /// Counts a job.
  public mutating func add(_ job: JobMessage) {
    var key = ReasonKey(of: job)
    var reason = ReasonKey.reason(of: job)
    let words = reason.text
    // only the first sentence is shown
    let sentence = ReasonText(words).sentence
    if sentence != words { reason = .text(sentence) }
    var number: Int64? = job.job
    if groups[key] == nil, groups.count >= Self.most {
      key = ReasonKey(state: job.state, step: job.step, kind: nil, status: nil, pattern: Self.further)
      (reason, number) = (.text(Self.further), nil)
    }
    var group =
      groups[key]
      ?? ReasonGroup(
        group: number, count: 0, state: key.state, step: key.step, kind: key.kind, status: key.status,
        reason: reason, first: job.job,
        digest: number.map { _ in GroupDigest(key, filter, clock: clock) })
    group.count += 1
    group.digest?.add(job)
    // If the texts differ, the group shows the part that they share.
    if group.reason != reason {
      group.reason = reason.coded.flatMap { group.reason.coded?.shared(with: $0) } ?? .text(key.pattern)
    }
    groups[key] = group
  }

  /// The groups, the largest first; equal ones by their first job.
  public var largestFirst: [ReasonGroup] {
    groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
  }
}

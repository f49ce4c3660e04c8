public import Jobs
public import Messages

/// The answer to `GET /v1/groups`: the jobs that a filter finds, counted by state, step and reason.
public struct ReasonGroups: Hashable, Sendable, Codable {
  /// The groups, the largest first.
  public var groups: [ReasonGroup]

  /// Creates an answer.
  public init(groups: [ReasonGroup]) { self.groups = groups }
}

/// Jobs in one state and step, for one reason.
public struct ReasonGroup: Hashable, Sendable, Codable {
  /// The number by which commands name the group: that of its first job. The group keeps the number as long as it has that job.
  /// Nil for the group of all further reasons.
  @Nullable public var group: Int64?
  /// The number of jobs.
  public var count: Int
  /// The state of the jobs.
  public var state: JobState
  /// The step of the jobs.
  public var step: Step
  /// The failure's kind, `held` if a gate or a pause holds the jobs, or nil if there is no reason.
  @Nullable public var kind: String?
  /// The HTTP status, if an answer came.
  @Nullable public var status: Int?
  /// The text of the jobs' reasons, with `…` for parts that differ from job to job. Empty if there is none.
  public var reason: String
  /// The code of ``reason`` and the arguments that the jobs share, with `…` for texts that differ; nil for words without a code.
  @Nullable public var reasonSaid: Message?
  /// The number of the first of the jobs.
  public var first: Int64
  /// The digest of the group, for an answer to it. Nil if ``group`` is.
  @Nullable public var digest: GroupDigest?

  enum CodingKeys: String, CodingKey {
    case group, count, state, step, kind, status, reason, digest
    case reasonSaid = "reason_said"
    case first = "first_job"
  }
}

extension ProblemDocument {
  /// The refusal of an answer to a group that has changed.
  ///
  /// - Parameters:
  ///   - number: the number of the group.
  ///   - group: the present group; nil if the filter finds none of its jobs.
  public static func changed(_ number: JobNumber, to group: ReasonGroup?) -> ProblemDocument {
    ProblemDocument(.group, saying: said(number.rawValue, group), group: group)
  }

  private static func said(_ number: Int64, _ group: ReasonGroup?) -> Message {
    guard let group else { return .groupGone(group: number) }
    let (state, step) = (group.state.rawValue, group.step.rawValue)
    let why = group.reason.isEmpty ? nil : group.reasonSaid ?? .text(group.reason)
    switch (group.count, why) {
    case (1, nil): return .groupChangedOne(group: number, state: state, step: step)
    case (1, let why?): return .groupChangedOneWhy(group: number, state: state, step: step, why: why)
    case (let count, nil): return .groupChanged(group: number, count: count, state: state, step: step)
    case (let count, let why?):
      return .groupChangedWhy(group: number, count: count, state: state, step: step, why: why)
    }
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

  init(state: JobState, step: Step, kind: String?, status: Int?, pattern: String) {
    self.state = state
    self.step = step
    self.kind = kind
    self.status = status
    self.pattern = pattern
  }

  /// The key of a job's group.
  public init(of job: JobMessage) {
    let (kind, words, _) = Self.reason(of: job)
    let isHeld = kind == Self.held
    self.init(
      state: job.state, step: job.step, kind: kind, status: isHeld ? nil : Self.failure(of: job)?.status,
      pattern: isHeld ? ReasonText(words).pattern : Self.shared(job) ?? ReasonText(words).pattern)
  }

  static let held = "held"

  /// True if the reason is a hold.
  public var isHeld: Bool { kind == Self.held }

  /// The reason why a job is in its state: what holds it, otherwise its failure; none for a job that makes progress or is done.
  static func reason(of job: JobMessage) -> (kind: String?, words: String, said: Message?) {
    if let hold = job.heldBy { return (held, hold.sentence, hold.said.coded) }
    return (failure(of: job)?.kind.rawValue, failure(of: job)?.message ?? "", failure(of: job)?.messageSaid)
  }

  /// The pattern of a job's failure, even if something holds the job; nil if there is none.
  package static func shared(_ job: JobMessage) -> String? {
    guard let failure = failure(of: job) else { return nil }
    // The path of a file, or that of one file of a group, is a whole text of the message.
    let words = failure.messageSaid.map { $0.mapTexts { isPath($0) ? "…" : $0 }.text } ?? failure.message
    let last = job.name.split(separator: "/").last.map(String.init) ?? job.name
    return ReasonText(words, names: job.name == last ? [last] : [job.name, last]).pattern
  }

  private static func isPath(_ text: String) -> Bool {
    text.contains("/") && !text.contains("://") && !text.contains(where: \.isWhitespace)
  }

  private static func failure(of job: JobMessage) -> ErrorMessage? { job.state == .registered ? nil : job.error }
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

  /// Creates a count of the jobs that a filter finds.
  ///
  /// - Parameter clock: the time by which the wall clock is ahead of the steady one.
  public init(_ filter: JobFilter, clock: Duration) {
    self.filter = filter
    self.clock = clock
  }

  /// Counts a job.
  public mutating func add(_ job: JobMessage) {
    var key = ReasonKey(of: job)
    let reason = ReasonKey.reason(of: job)
    var sentence = ReasonText(reason.words).sentence
    // only the first sentence is shown
    var said = sentence == reason.words ? reason.said : nil
    var number: Int64? = job.job
    if groups[key] == nil, groups.count >= Self.most {
      key = ReasonKey(state: job.state, step: job.step, kind: nil, status: nil, pattern: Self.further)
      (sentence, said, number) = (Self.further, nil, nil)
    }
    var group =
      groups[key]
      ?? ReasonGroup(
        group: number, count: 0, state: key.state, step: key.step, kind: key.kind, status: key.status,
        reason: sentence, reasonSaid: said, first: job.job,
        digest: number.map { _ in GroupDigest(key, filter, clock: clock) })
    group.count += 1
    group.digest?.add(job)
    // If the texts differ, the group shows the part that they share.
    if group.reason != sentence { group.reason = key.pattern }
    if group.reasonSaid != said { group.reasonSaid = said.flatMap { group.reasonSaid?.shared(with: $0) } }
    groups[key] = group
  }

  /// The groups, the largest first; equal ones by their first job.
  public var largestFirst: [ReasonGroup] {
    groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
  }
}

import ControlAPI
import Jobs

/// Jobs counted by state, step and reason. The memory needed grows with the reasons, and their number is limited.
struct ListGroups {
  /// The maximum number of reasons, which is more than a person reads. Further ones are counted as one for each state and
  /// step.
  static let most = 1000

  /// The properties that a group's jobs share.
  private struct Key: Hashable {
    var state: State
    var step: Step
    var kind: String?
    var status: Int?
    var pattern: String
  }

  private var groups: [Key: ReasonGroup] = [:]

  /// Counts a job.
  mutating func add(_ job: JobMessage) {
    let (kind, words) = Self.reason(of: job)
    let text = ReasonText(words)
    var key = Key(
      state: job.state, step: job.step, kind: kind, status: kind == "held" ? nil : Self.failure(of: job)?.status,
      pattern: text.pattern)
    if groups[key] == nil, groups.count >= Self.most {
      key = Key(state: job.state, step: job.step, kind: nil, status: nil, pattern: "other reasons")
    }
    guard var group = groups[key] else {
      groups[key] = ReasonGroup(
        count: 1, state: key.state, step: key.step, kind: key.kind, status: key.status,
        reason: key.pattern == text.pattern ? text.sentence : key.pattern, first: job.job)
      return
    }
    group.count += 1
    // If the texts differ, the group shows the part that they share.
    if group.reason != text.sentence { group.reason = key.pattern }
    groups[key] = group
  }

  /// The groups, the largest first; equal ones by their first job.
  var largestFirst: [ReasonGroup] {
    groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
  }

  /// The reason why a job is in its state: the thing that holds it, otherwise its failure; nothing for a job that proceeds or
  /// is done.
  private static func reason(of job: JobMessage) -> (kind: String?, words: String) {
    if let hold = job.heldBy { return ("held", hold.sentence) }
    return (failure(of: job)?.kind.rawValue, failure(of: job)?.message ?? "")
  }

  private static func failure(of job: JobMessage) -> ErrorMessage? { job.state == .registered ? nil : job.error }
}

/// Groups of jobs as a table.
struct ReasonTable {
  private var table = Table(columns: [
    .init(heading: "JOBS", isNumber: true), .init(heading: "STATE"), .init(heading: "STEP"),
    .init(heading: "KIND"), .init(heading: "REASON", least: 10),
  ])

  init(_ groups: [ReasonGroup]) {
    table.rows = groups.map { group in
      [
        .init(text: String(group.count)), .init(text: group.state.rawValue, style: group.state.style),
        .init(text: group.step.rawValue), .init(text: group.kind ?? ""),
        .init(text: DisplayText.escape(group.reason)),
      ]
    }
  }

  func lines(_ terminal: Terminal) -> [String] { table.rows.isEmpty ? ["No jobs."] : table.lines(terminal) }
}

import Jobs

/// Jobs in one state and step, for one reason.
struct ReasonGroup: Hashable, Encodable {
  /// The number of jobs.
  var count: Int
  var state: State
  var step: Step
  /// The failure's kind, `held` if a gate or a pause holds the jobs, or nil if there is no reason.
  var kind: String?
  /// The HTTP status, if an answer came.
  var status: Int?
  /// The text of the jobs' reasons, with `…` for parts that differ from job to job. Empty if there is none.
  var reason: String
  /// The number of the first of the jobs.
  var first: Int64

  enum CodingKeys: String, CodingKey {
    case count, state, step, kind, status, reason
    case first = "first_job"
  }

  /// Writes every member; missing values are null.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(count, forKey: .count)
    try container.encode(state, forKey: .state)
    try container.encode(step, forKey: .step)
    try container.encode(kind, forKey: .kind)
    try container.encode(status, forKey: .status)
    try container.encode(reason, forKey: .reason)
    try container.encode(first, forKey: .first)
  }
}

/// The output of `list --by reason --json`.
struct ReasonGroups: Encodable {
  var groups: [ReasonGroup]
}

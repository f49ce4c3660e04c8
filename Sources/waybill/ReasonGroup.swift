import Jobs

/// Jobs in one state and step, for one reason.
struct ReasonGroup: Hashable, Encodable {
  /// How many jobs there are.
  var count: Int
  var state: State
  var step: Step
  /// The failure's kind, `held` where a gate or a pause holds the jobs, or nil where there is no reason.
  var kind: String?
  /// The HTTP status, where an answer came.
  var status: Int?
  /// What the jobs' reasons say; what differs from job to job is `…`. Empty where there is none.
  var reason: String
  /// The number of the first of the jobs.
  var first: Int64

  enum CodingKeys: String, CodingKey {
    case count, state, step, kind, status, reason
    case first = "first_job"
  }

  /// Writes every member; what is absent is null.
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

/// What `list --by reason --json` prints.
struct ReasonGroups: Encodable {
  var groups: [ReasonGroup]
}

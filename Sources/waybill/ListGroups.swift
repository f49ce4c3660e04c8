import ControlAPI
import Jobs

/// Jobs counted by state, step and reason. Memory grows with the reasons, of which there are at most so many.
struct ListGroups {
  /// More reasons than a person reads; what goes beyond is counted as one for each state and step.
  static let most = 1000

  /// What a group's jobs have in common.
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
    // Texts that differ are told by what they have in common.
    if group.reason != text.sentence { group.reason = key.pattern }
    groups[key] = group
  }

  /// The groups, the largest first; equal ones by their first job.
  var largestFirst: [ReasonGroup] {
    groups.values.sorted { ($1.count, $0.first) < ($0.count, $1.first) }
  }

  /// Why a job is where it is: what holds it, else what it failed with; nothing for one that goes its way or is done.
  private static func reason(of job: JobMessage) -> (kind: String?, words: String) {
    if let hold = job.heldBy { return ("held", "\(hold.destination) is closed (\(hold.reason))") }
    return (failure(of: job)?.kind.rawValue, failure(of: job)?.message ?? "")
  }

  private static func failure(of job: JobMessage) -> ErrorMessage? { job.state == .registered ? nil : job.error }
}

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

/// A reason, cut down to what many jobs can share.
struct ReasonText {
  /// Its first sentence or line.
  let sentence: String
  /// The same with `…` for what is likely to be one job's own: quoted texts, and words with figures in them other than
  /// an HTTP status.
  let pattern: String

  init(_ words: String) {
    var sentence = words[...]
    if let line = sentence.firstIndex(where: \.isNewline) { sentence = sentence[..<line] }
    if let end = Self.endOfSentence(sentence) { sentence = sentence[..<end] }
    self.sentence = String(sentence)
    pattern = Self.pattern(sentence)
  }

  /// The first full stop with a space after it.
  private static func endOfSentence(_ text: Substring) -> Substring.Index? {
    var before: Character = " "
    for index in text.indices {
      if text[index] == " ", before == "." { return text.index(before: index) }
      before = text[index]
    }
    return nil
  }

  private static func pattern(_ text: Substring) -> String {
    var words: [String] = []
    var quote: Character?
    var isAfterHTTP = false
    for word in text.split(separator: " ") {
      if let open = quote {
        if word.contains(open) { quote = nil }
        continue
      }
      if let first = word.first, "\"'“‘«".contains(first) {
        let close: Character = ["“": "”", "‘": "’", "«": "»"][first] ?? first
        if !word.dropFirst().contains(close) { quote = close }
        words.append("…")
      } else if !isAfterHTTP, word.contains(where: \.isNumber) {
        if words.last != "…" { words.append("…") }
      } else {
        words.append(String(word))
      }
      isAfterHTTP = word == "HTTP"
    }
    return words.joined(separator: " ")
  }
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

import ControlAPI
import Jobs

/// The open questions in the order of their jobs, round after round, so that new ones are found.
struct OpenQuestions {
  private let client: ControlClient
  let filter: JobFilter
  /// The kind of the questions; nil for all kinds. The number of the kind's first job would not do: once that job is answered, it
  /// stands for something else.
  let kind: ReasonKey?
  private var cursor: PageCursor?
  /// The questions that are not to be asked again: the revisions of jobs whose question was put off.
  private var putOff: [Int64: Int64] = [:]

  /// The questions of jobs that the filter finds.
  init(client: ControlClient, filter: JobFilter, kind: ReasonKey? = nil) {
    self.client = client
    self.filter = filter
    self.kind = kind
  }

  /// Returns the next question; nil if all open questions have been put off.
  mutating func next() async throws(CommandFailure) -> JobMessage? {
    var isLastRound = cursor == nil
    while true {
      let query = ListQuery(filter: wanted, after: cursor, limit: 20)
      let client = client
      let page = try await calling { () async throws(ControlError) in try await client.jobs(query) }
      if let job = page.jobs.first(where: isWanted) {
        cursor = PageCursor(after: JobNumber(rawValue: job.job))
        return job
      }
      cursor = page.next.flatMap { PageCursor($0) }
      guard cursor == nil else { continue }
      if isLastRound { return nil }
      isLastRound = true
    }
  }

  /// The filter that leaves out most questions of other kinds.
  private var wanted: JobFilter {
    var wanted = filter
    guard let kind else { return wanted }
    wanted.step = kind.step
    if wanted.error == nil, !kind.pattern.isEmpty { wanted.error = kind.pattern }
    return wanted
  }

  private func isWanted(_ job: JobMessage) -> Bool {
    putOff[job.job] != job.revision && (kind == nil || kind == ReasonKey(of: job))
  }

  /// Returns the same questions, of one kind only. Questions that were put off stay so.
  func narrowed(to kind: ReasonKey?) -> OpenQuestions {
    var narrowed = OpenQuestions(client: client, filter: filter, kind: kind)
    narrowed.putOff = putOff
    return narrowed
  }

  /// Puts off this question, so that it is not returned again. A new one about the same job has another revision.
  mutating func putOff(_ job: JobMessage) { putOff[job.job] = job.revision }
}

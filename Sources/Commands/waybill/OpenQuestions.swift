import CommandParts
import ControlAPI
import Jobs

/// The open questions in the order of their jobs, round after round, so that new ones are found.
struct OpenQuestions {
  private let client: ControlClient
  let filter: JobFilter
  private var cursor: PageCursor?
  /// The questions that are not to be asked again: the revisions of jobs whose question was put off.
  private var putOff: [String: Int64] = [:]

  /// The questions of jobs that the filter finds.
  init(client: ControlClient, filter: JobFilter) {
    self.client = client
    self.filter = filter
  }

  /// Returns the next question; nil if all open questions have been put off.
  mutating func next() async throws(CommandFailure) -> JobMessage? {
    var isLastRound = cursor == nil
    while true {
      let query = ListQuery(filter: filter, after: cursor, limit: 20)
      let client = client
      let page = try await calling { () async throws(ControlError) in try await client.jobs(query) }
      if let job = page.jobs.first(where: { putOff[$0.id] != $0.revision }) {
        cursor = PageCursor(after: job)
        return job
      }
      cursor = page.next.flatMap { PageCursor($0) }
      guard cursor == nil else { continue }
      if isLastRound { return nil }
      isLastRound = true
    }
  }

  /// Puts off this question, so that it is not returned again. A new one about the same job has another revision.
  mutating func putOff(_ job: JobMessage) { putOff[job.id] = job.revision }
}

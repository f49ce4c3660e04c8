import Jobs
import SQLite

/// The jobs that were not done when the last daemon ended, at a start: attempts that were in flight are listed as cut, and their
/// jobs are queued again.
struct UnfinishedJobs {
  let clock: Clock

  /// Ends the attempts, and returns the plain jobs that wait for their turn.
  func recover(_ db: Database) throws -> PlainJobs {
    for job in try db.all("\(JobRow.select) WHERE job_state.state = 'active'", [], JobRow.job) { try cut(job, in: db) }
    let began = try beginnings(db)
    var plain = PlainJobs()
    var inFlight: [Job] = []
    var rows = try db.rows("\(JobRow.select) WHERE \(JobSQL.isPlainAndUnfinished)")
    while let row = try rows.next() {
      var job = try JobRow.job(row)
      if let beginning = began[job.number], beginning.step == job.step {
        job.begin(at: beginning.at)
        inFlight.append(job)
      } else {
        plain.change(from: nil, to: job)
      }
    }
    for job in inFlight { try cut(job, in: db) }
    return plain
  }

  /// Returns the beginnings of the last attempts of plain jobs that are in the log.
  private func beginnings(_ db: Database) throws -> [JobNumber: (step: Step, at: Timestamp)] {
    var began: [JobNumber: (step: Step, at: Timestamp)] = [:]
    try LogRow.forEach(in: db) { commit in
      for entry in commit.entries {
        if let step = entry.kind.begunStep {
          began[entry.job] = (step, Timestamp(microseconds: entry.value))
        } else if entry.kind == .registered {
          began[entry.job] = nil
        }
      }
    }
    return began
  }

  private func cut(_ job: Job, in db: Database) throws {
    var queued = job
    let cut = JobInput.finished(attempt: job.attempt, .cut)
    guard let transition = try queued.apply(cut, now: clock.now(), steady: clock.steady()) else { return }
    try JobRow.update(queued, from: job, in: db)
    if let attempt = transition.attempt { try AttemptRow.insert(attempt, of: job.number, into: db) }
  }
}

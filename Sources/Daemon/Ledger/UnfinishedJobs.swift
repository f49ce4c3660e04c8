import Jobs
import SQLite

/// The jobs that were in flight when the last daemon ended, at a start: their attempts are listed as cut, and they are queued
/// again.
struct UnfinishedJobs {
  let clock: Clock

  func recover(_ db: Database) throws {
    let active = "\(JobRow.select) WHERE \(LedgerSchema.Condition.unfinished) AND job.state = 'active'"
    var sequence = try LastNumbers.read(db).events
    for job in try db.all(active, [], JobRow.job) {
      var queued = job
      let cut = JobInput.finished(attempt: job.attempt, .cut)
      guard let transition = try queued.apply(cut, now: clock.now(), steady: clock.steady()) else { continue }
      if let attempt = transition.attempt {
        sequence += 1
        queued.lastEvent = sequence
        try EventRow.insert(attempt, of: job.number, sequence: sequence, after: job.lastEvent, into: db)
      }
      try JobRow.update(queued, from: job, in: db)
    }
  }
}

import Jobs

/// The reason why a job's file is in its spool. It follows from the job, and is a column (`presence`) so that one index finds the jobs
/// of each kind.
enum FilePresence: Int {
  /// The job has not ended.
  case unfinished = 0
  /// The job is over, and its file is to be disposed of.
  case undisposed = 1
  /// A person decides about the file: the job was aborted or cancelled.
  case stopped = 2
  /// The same, and a person takes the file back.
  case releasing = 3

  /// Creates the reason; nil for a job whose file is gone.
  init?(of job: Job) {
    guard job.disposedAt == nil else { return nil }
    switch job.state {
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork: self = .unfinished
    case .registered, .skipped, .discarded: self = .undisposed
    case .aborted, .cancelled:
      // A file that stays in place needs no decision.
      if job.ticket.parcel == .inPlace { return nil }
      self = job.release == nil ? .stopped : .releasing
    }
  }
}

extension JobState {
  /// True for the states that people look for, and in which jobs wait for a key or the network. A job that goes well is in none of
  /// them, so the indexes on the column `noticed` cost it nothing.
  var isNoticed: Bool { isWaiting || phase == .stopped }
}

extension Job {
  /// The state if it is a noticed one: the column `noticed`.
  var noticed: JobState? { state.isNoticed ? state : nil }
}

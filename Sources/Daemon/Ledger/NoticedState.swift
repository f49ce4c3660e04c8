import Jobs

extension JobState {
  /// True for the states that people look for, and in which jobs wait for a key or the network. A job that goes well is in none of
  /// them, so the indexes on the column `noticed` cost it nothing.
  var isNoticed: Bool {
    switch self {
    case .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted, .cancelled: true
    case .queued, .active, .registered, .skipped, .discarded: false
    }
  }
}

extension Job {
  /// The state if it is a noticed one: the column `noticed`.
  var noticed: JobState? { state.isNoticed ? state : nil }
}

package import Jobs
import Spool

/// The files of attempts, which stay open as long as they will be read again soon.
extension Stages {
  /// Closes the file of an attempt that did not succeed.
  func letGo(_ job: Job) { parts[job.ticket.spool]?.directory.letGo(job.ticket.id) }

  /// Closes the files of jobs that wait for a person, or have ended and still have their file: they are not read soon. Only files on
  /// local disks are kept open, so closing does not hang.
  package func letGo(after events: [JobEvent]) {
    for event in events where event.leavesFile { parts[event.job.ticket.spool]?.directory.letGo(event.job.ticket.id) }
  }

  /// Makes the spools check files that stay in place and whose jobs are over: other files may have their names now.
  package func lookAgain(after events: [JobEvent]) {
    for event in events where event.job.ticket.parcel == .inPlace && event.job.state.isTerminal {
      parts[event.job.ticket.spool]?.directory.lookAgain(at: [(event.job.ticket.dropped, event.job.identity)])
    }
  }

  /// Closes the file of a job that was stopped during its attempt, because the attempt may have opened it since.
  package func letGo(ifStopped job: Job) {
    switch job.state {
    case .cancelled, .aborted, .awaitingConfirmation:
      parts[job.ticket.spool]?.directory.letGo(job.ticket.id)
    case .queued, .active, .deferred, .awaitingCredentials, .awaitingNetwork, .registered, .skipped, .discarded: break
    }
  }
}

extension JobEvent {
  /// True if no attempt follows until a person wants it.
  fileprivate var leavesFile: Bool {
    switch kind {
    case .question, .cancelled, .aborted: true
    case .admitted, .uploaded, .registered, .skipped, .deferred, .confirmed, .retried, .released, .discarded, .cleaned,
      .objectLeft:
      false
    }
  }
}

package import Jobs
import Spool

/// The files of attempts, which stay open while they are soon read again.
extension Stages {
  /// Closes the file of an attempt that did not succeed. On a network file system that may hang.
  func letGo(_ job: Job) async {
    guard let part = parts[job.ticket.spool] else { return }
    let (directory, id) = (part.directory, job.ticket.id)
    guard directory.isShared else { return directory.letGo(id) }
    // Ignored: it is closed with its spool.
    try? await part.threads.run { directory.letGo(id) }
  }

  /// Closes the files of jobs that wait for a person now or have ended without their file having gone: nobody reads them soon. Files are
  /// kept open on disks of this machine alone, so this does not hang.
  package func letGo(after events: [JobEvent]) {
    for event in events where event.leavesFile { parts[event.job.ticket.spool]?.directory.letGo(event.job.ticket.id) }
  }

  /// Has the spools look again at the files that stay where they are and whose jobs are over: others may have their names by now.
  package func lookAgain(after events: [JobEvent]) {
    for event in events where event.job.ticket.parcel == .inPlace && event.job.state.isTerminal {
      parts[event.job.ticket.spool]?.directory.lookAgain(at: [(event.job.ticket.dropped, event.job.identity)])
    }
  }

  /// Closes the file of a job that was stopped while its attempt went on, which may have opened it since.
  package func letGo(ifStopped job: Job) {
    switch job.state {
    case .cancelled, .aborted, .awaitingConfirmation, .moved:
      parts[job.ticket.spool]?.directory.letGo(job.ticket.id)
    case .queued, .active, .deferred, .awaitingCredentials, .awaitingNetwork, .registered, .skipped, .discarded: break
    }
  }
}

extension JobEvent {
  /// True if no attempt follows until a person wants it.
  fileprivate var leavesFile: Bool {
    switch kind {
    case .question, .cancelled, .aborted, .moved: true
    case .admitted, .uploaded, .registered, .skipped, .deferred, .confirmed, .retried, .released, .discarded, .cleaned,
      .objectLeft:
      false
    }
  }
}

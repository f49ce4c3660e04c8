package import Jobs
import Linux
import Spool

/// The files of attempts, which stay open while they are soon read again.
extension Stages {
  /// Closes the file of an attempt that did not succeed.
  func letGo(_ job: Job) { parts[job.ticket.spool]?.directory.letGo(job.ticket.id) }

  /// Closes the files of jobs that wait for a person now or have ended without their file having gone: nobody reads them soon. Files are
  /// kept open on disks of this machine alone, so this does not hang.
  package func letGo(after events: [JobEvent]) {
    for event in events { letGo(ifStopped: event.job) }
  }

  /// Has the spools look again at the files that stay where they are and whose jobs are over: others may have their names by now.
  package func lookAgain(after events: [JobEvent]) {
    for event in events where event.job.ticket.parcel == .inPlace && event.job.state.isTerminal {
      parts[event.job.ticket.spool]?.directory.lookAgain(at: [(event.job.ticket.dropped, event.job.identity)])
    }
  }

  /// Closes the file of a job that was stopped while its attempt went on, which may have opened it since.
  package func letGo(ifStopped job: Job) {
    if job.state.phase == .stopped || job.state == .awaitingConfirmation { letGo(job) }
  }
}

/// Finds the spool that has a job's file. A job keeps the name of the spool that its file was dropped into. Since then the
/// configuration may have given that directory another name, and that name another directory.
extension Stages {
  /// Returns the spool of another name that has a job's file, or what a crash has left of its disposal; nil if none has it.
  func otherPart(holding job: Job) -> SpoolPart? {
    // A file of this name in another spool is another file.
    guard job.ticket.parcel != .inPlace else { return nil }
    for (name, part) in parts.sorted(by: { $0.key < $1.key }) where name != job.ticket.spool {
      // Ignored: a spool that cannot be looked at now is searched once it can be.
      if (try? part.directory.held().hasClaim(job.ticket.claim)) == true { return part }
    }
    return nil
  }

  /// Returns the path of the spool of another name that has a job's file; nil if none has it.
  package func placeOfFile(of job: Job) -> String? { otherPart(holding: job)?.directory.options.path }

  /// Returns the name that a spool has now; nil if its directory is not configured.
  func name(of directory: SpoolDirectory) -> String? {
    parts.first { $0.value.directory.options.path == directory.options.path }?.key
  }
}

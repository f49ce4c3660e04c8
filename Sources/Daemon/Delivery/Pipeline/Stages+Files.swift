package import Jobs
import Linux
import Spool

extension Stages {
  /// Has the spools look again at the files that stay where they are and whose jobs are over: others may have their names by now.
  package func lookAgain(after events: [JobEvent]) {
    for event in events where event.job.ticket.parcel == .inPlace && event.job.state.isTerminal {
      parts[event.job.ticket.spool]?.directory.lookAgain(at: [(event.job.ticket.dropped, event.job.identity)])
    }
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

package import Jobs
import Linux
import Spool

/// Finds the spool that has a job's file. A job keeps the name of the spool that its file was dropped into. Since then the
/// configuration may have given that directory another name, and that name another directory.
extension Stages {
  /// Returns the spool that has a job's file or group: the one that the job names, or another one. If no spool has it, returns
  /// the one that the job names; nil if that is not configured.
  func part(holding job: Job) -> SpoolPart? {
    let own = parts[job.ticket.spool]
    if job.ticket.parcel == .inPlace { return own }
    // Ignored: if the spool cannot be looked at, the next call on it reports the reason.
    if let own, (try? own.directory.held().hasClaim(job.ticket.claim)) ?? true { return own }
    return otherPart(holding: job) ?? own
  }

  /// Returns the spool of another name that has a job's file, or the rest of an interrupted disposal; nil if none has it.
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

import Jobs
import Linux
import Spool

/// The spool that has a job's file. Jobs keep the name of the spool that their file was dropped into. Since then its directory may
/// have got another name, and its name another directory.
extension Stages {
  /// Returns the spool that has a job's file or group: the one of its own name, or another one. If none has it, it is the one of its
  /// own name; nil if that is not configured.
  func part(holding job: Job) -> SpoolPart? {
    let own = parts[job.ticket.spool]
    // Ignored: why one cannot be looked at is told by what is done there next.
    if let own, (try? own.directory.hasClaim(job.ticket.claim)) ?? true { return own }
    return otherPart(holding: job) ?? own
  }

  /// Returns the spool of another name that has a job's file, or what a crash has left of its disposal; nil if none has it.
  func otherPart(holding job: Job) -> SpoolPart? {
    for (name, part) in parts.sorted(by: { $0.key < $1.key }) where name != job.ticket.spool {
      // Ignored: one that cannot be looked at now is gone through once it can.
      if (try? part.directory.hasClaim(job.ticket.claim)) == true { return part }
    }
    return nil
  }

  /// Returns the name that a spool has now; nil if its directory is not configured any more.
  func name(of directory: SpoolDirectory) -> String? {
    parts.first { $0.value.directory.options.path == directory.options.path }?.key
  }
}

import Jobs
import StatementValues

extension WriteStatement {
  mutating func add(_ identity: FileIdentity) {
    add(Int64(bitPattern: identity.device))
    add(Int64(bitPattern: identity.inode))
    add(identity.size)
    add(identity.modified)
    add(identity.changed)
  }

  mutating func addTrouble(of job: Job) {
    add(job.schedule.spent)
    add(job.nextAttemptAt?.microseconds)
    add(job.failure)
    add(job.question?.text)
    add(job.question?.askedAt.microseconds)
  }

  mutating func add(_ failure: Failure?) {
    add(failure?.kind.rawValue)
    add(failure?.status)
    add(failure?.code)
    add(failure?.words)
    add(failure?.retryAfter?.microseconds)
    add(failure?.mayHaveActed)
  }
}

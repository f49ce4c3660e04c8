package import Jobs

/// The facts of a job that a copy of the ledger is told of, and no others: the body of the registration, the receipts and the sums of a
/// job that is done are several times as large, and no copy has them.
package struct RecentJob: Sendable {
  /// The facts that few jobs have.
  private final class Rare: Sendable {
    let nextAttemptAt: Timestamp?
    let failure: Failure?
    let question: Question?
    let remote: Remote?
    let release: Release?
    let recognized: Recognized?

    init(_ job: Job) {
      nextAttemptAt = job.nextAttemptAt
      var failure = job.failure
      // a job that is read from the ledger has none either
      failure?.answer = nil
      self.failure = failure
      question = job.question
      remote = job.remote
      release = job.release
      recognized = job.recognized
    }

    func add(to job: inout Job) {
      job.nextAttemptAt = nextAttemptAt
      job.failure = failure
      job.question = question
      job.remote = remote
      job.release = release
      job.recognized = recognized
    }
  }

  private let number: JobNumber
  private let ticket: Ticket
  private let revision: Int64
  private let size: Int64
  private let step: Step
  private let state: JobState
  private let tries: Int32
  private let updatedAt: Timestamp
  private let finishedAt: Timestamp?
  private let disposedAt: Timestamp?
  private let link: String?
  private let rare: Rare?

  /// Takes these facts of a job.
  package init(_ job: Job) {
    number = job.number
    ticket = job.ticket
    revision = job.revision
    size = job.identity.size
    step = job.step
    state = job.state
    tries = Int32(clamping: job.attempt)
    updatedAt = job.updatedAt
    finishedAt = job.finishedAt
    disposedAt = job.disposedAt
    link = job.link?.link
    rare = job.isUnusual ? Rare(job) : nil
  }

  /// The job with these facts; all others are as those of a new job.
  package var job: Job { job(with: ticket) }

  /// The job with these facts and another ticket.
  func job(with ticket: Ticket) -> Job {
    let identity = FileIdentity(device: 0, inode: 0, size: size, modified: 0, changed: 0)
    var job = Job(number: number, ticket: ticket, identity: identity)
    job.revision = revision
    job.step = step
    job.state = state
    job.tries[step] = Int(tries)
    job.updatedAt = updatedAt
    job.finishedAt = finishedAt
    job.disposedAt = disposedAt
    if let link { job.stored = StoredLink(link: link, receipt: nil, body: []) }
    rare?.add(to: &job)
    return job
  }

  /// The bytes that it takes in a dictionary, roughly. A job at work shares its ticket and its link, one that is done has the last
  /// reference to them.
  var bytes: Int {
    let texts = ticket.name.bytes.count + ticket.path.count + ticket.key.utf8.count + (link?.utf8.count ?? 0)
    return 640 + texts + Self.bytes(of: ticket.metadata) + Self.bytes(of: ticket.captures) + (rare == nil ? 0 : 2048)
  }

  /// A member of a sidecar may be long, so the texts count too.
  private static func bytes(of values: [String: String]) -> Int {
    values.reduce(0) { $0 + 128 + $1.key.utf8.count + $1.value.utf8.count }
  }
}

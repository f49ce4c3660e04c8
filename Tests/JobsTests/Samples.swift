import Jobs
import MessageLiterals

extension Timestamp {
  static let start = Timestamp(year: 2026, month: 11, day: 21, hour: 1, minute: 2, second: 3)
}

extension Caller {
  static let alice = Caller(uid: 1000, user: "alice")
}

extension StoredLink {
  static let sample = StoredLink(link: "s3://documents/a.pdf", receipt: nil, body: Array("{}".utf8))
}

extension RegistrationReceipt {
  static let sample = RegistrationReceipt(status: 201, location: nil, body: "", registeredAt: .start)
}

extension Job {
  /// A queued job; each of its facts is of no matter to the transitions.
  static func sample(name: String = "a.pdf", step: Step = .upload, parcel: Parcel = .file) -> Job {
    let ticket = Ticket(
      id: JobID(high: 0x0193_9F5C_7B1A_7C3D, low: 0x9E4F_0123_4567_89AB), spool: "documents", name: FileName(name),
      storage: "main", backend: "main", bucket: "documents", key: name, contentType: "application/pdf", metadata: [:],
      priority: 0, createdAt: .start, parcel: parcel)
    var job = Job(
      number: JobNumber(rawValue: 42), ticket: ticket,
      identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5))
    if step == .register {
      job.step = .register
      job.stored = .sample
    }
    return job
  }

  @discardableResult
  mutating func take(_ input: JobInput) throws(Refusal) -> Transition? {
    try apply(input, now: .start, steady: .start)
  }

  /// A job brought into a state by the inputs that lead there.
  static func sample(in state: JobState, step: Step = .upload) throws -> Job {
    var job = sample(step: step)
    func fail(_ verdict: Verdict) throws {
      try job.take(.begin)
      try job.take(.finished(attempt: job.attempt, .failed(Failure(.transient, "HTTP 500"), verdict)))
    }
    switch state {
    case .queued: break
    case .active: try job.take(.begin)
    case .deferred: try fail(.retry(after: .seconds(1)))
    case .awaitingConfirmation: try fail(.ask)
    case .awaitingCredentials: try fail(.awaitCredentials)
    case .awaitingNetwork: try fail(.awaitNetwork)
    case .registered:
      job = sample(step: .register)
      try job.take(.begin)
      try job.take(.finished(attempt: 1, .registered(.sample)))
    case .skipped:
      job = sample()
      try job.take(.begin)
      try job.take(.finished(attempt: job.attempt, .recognized(.sample)))
    case .aborted: try fail(.abort)
    case .cancelled: try job.take(.command(.cancel(), by: .alice))
    case .discarded: job.state = .discarded
    }
    return job
  }
}

extension Recognized {
  static let sample = Recognized(
    job: JobNumber(rawValue: 7), sha256: String(repeating: "ab", count: 32))
}

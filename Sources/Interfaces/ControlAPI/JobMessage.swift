import FoundationEssentials
public import Jobs
public import Messages

extension JobMessage {
  /// Creates the message of a job, whose bytes have a path until they are disposed of. `clockOffset` leads from the steady clock to the
  /// time of the wall clock.
  public init(_ job: Job, path: String?, heldBy: HoldMessage?, clockOffset: Duration = .zero) {
    let name = job.ticket.name
    self.init(
      job: job.number.rawValue, id: job.ticket.id.description, traceID: job.ticket.id.trace, revision: job.revision,
      spool: job.ticket.spool,
      name: name.text, nameBase64: name.isUTF8 ? nil : Data(name.bytes).base64EncodedString(), path: path,
      size: job.identity.size, groupFiles: job.ticket.parcel.group?.files, step: job.step, state: job.state,
      phase: job.state.phase, destination: job.blamed.text, heldBy: heldBy, attempt: job.attempt,
      question: job.question?.message, error: job.failure.map { ErrorMessage($0) },
      nextAttemptAt: job.nextAttemptAt.map { $0 + clockOffset }, link: job.link?.link,
      sameAs: job.recognized?.job.rawValue, remote: job.remote,
      released: job.state == .discarded
        ? job.release.map { Released(to: $0.to, by: CallerMessage($0.by)) } : nil,
      createdAt: job.ticket.createdAt, updatedAt: job.updatedAt, finishedAt: job.finishedAt, disposedAt: job.disposedAt)
  }
}

extension JobMessage {
  /// The job for a call: its number, with its host if it is of a fleet.
  public var reference: JobReference {
    let number = JobNumber(rawValue: job)
    return host.map { .onHost($0, number) } ?? .number(number)
  }

  /// The commands that move the job on; nil if it continues by itself, or has ended well.
  public var remedy: Message? {
    switch state {
    case .queued: heldBy.map { .command(command: $0.remedy) }
    case .active, .registered, .skipped, .discarded: nil
    case .deferred: .command(command: "waybill retry \(job)")
    case .awaitingConfirmation: .commandOr(command: "waybill confirm \(job)", other: "waybill cancel \(job)")
    case .awaitingCredentials: .command(command: "waybill status --long")
    case .awaitingNetwork: .command(command: "waybill resume")
    case .aborted, .cancelled:
      .commandOr(command: "waybill retry \(job)", other: "waybill release \(job) --to DIRECTORY")
    }
  }
}

extension JobState {
  /// The command that moves all jobs of a state that does not end by itself; nil for the others.
  public var remedy: String? {
    switch self {
    case .awaitingConfirmation: "waybill ask"
    case .awaitingCredentials: "waybill status --long"
    case .awaitingNetwork: "waybill resume"
    case .aborted: "waybill retry --state aborted"
    case .queued, .active, .deferred, .registered, .skipped, .cancelled, .discarded: nil
    }
  }
}

extension CallerMessage {
  /// Creates the message of a caller.
  public init(_ caller: Caller) { self.init(uid: caller.uid, user: caller.user) }
}

extension ErrorMessage {
  /// Creates the message of a failure.
  public init(_ failure: Failure) {
    self.init(
      kind: failure.kind, status: failure.status, code: failure.code, message: failure.message,
      retryAfter: failure.retryAfter?.inSeconds)
  }
}

import Jobs
import MessageLiterals
import Testing

/// What a cancel leaves owed at the storage, in each state, and what becomes of it.
@Suite struct CancelTests {
  /// What is known of the storage when the job is cancelled.
  enum Stored: CaseIterable {
    /// Nothing was ever sent.
    case nothing
    /// What was sent was refused, and had no effect.
    case refused
    /// An answer was lost.
    case perhaps
    /// The link is durable.
    case linked
    /// An answer was lost, and the link of the next attempt is durable.
    case linkedAtLast
    /// A person named the link.
    case namedByAPerson
  }

  private static let open: [JobState] = JobState.allCases.filter { !$0.isTerminal }

  private static let receipt = UploadReceipt(
    bucket: "documents", key: "a.pdf", size: 3, etag: "e", version: "v7", sha256: nil, checksum: nil,
    contentType: "application/pdf", uploadedAt: .start)
  private static let link = StoredLink(link: "s3://documents/a.pdf", receipt: receipt, body: Array("{}".utf8))

  /// A job with so much stored, brought into a state; nil where the two do not go together.
  private func job(_ stored: Stored, in state: JobState) throws -> Job? {
    var job = Job.sample()
    func fail(_ failure: Failure, _ verdict: Verdict) throws {
      try job.take(.begin)
      try job.take(.finished(attempt: job.attempt, .failed(failure, verdict)))
    }
    switch stored {
    case .nothing:
      if state != .queued, state != .active { return nil }  // to wait takes a try
    case .refused:
      try fail(Failure(.rejected, "HTTP 422", status: 422), .ask)
    case .perhaps:
      try fail(Failure(.transient, "the answer was lost", mayHaveActed: true), .ask)
    case .linked:
      try job.take(.begin)
      try job.take(.finished(attempt: 1, .uploaded(Self.link)))
    case .linkedAtLast:
      try fail(Failure(.transient, "the answer was lost", mayHaveActed: true), .retry(after: .zero))
      try job.take(.due)
      try job.take(.begin)
      try job.take(.finished(attempt: 2, .uploaded(Self.link)))
    case .namedByAPerson:
      try fail(Failure(.rejected, "HTTP 422", status: 422), .ask)
      try job.take(.command(.confirm(link: StoredLink.sample.link), by: .alice, link: .sample))
    }
    if job.state == .awaitingConfirmation { try job.take(.command(.confirm(), by: .alice)) }
    let failure = Failure(.rejected, "HTTP 422", status: 422)
    switch state {
    case .queued: break
    case .active: try job.take(.begin)
    case .deferred: try fail(failure, .retry(after: .seconds(1)))
    case .awaitingConfirmation: try fail(failure, .ask)
    case .awaitingCredentials: try fail(failure, .awaitCredentials)
    case .awaitingNetwork: try fail(failure, .awaitNetwork)
    case .registered, .skipped, .aborted, .cancelled, .discarded: return nil
    }
    #expect(job.state == state)
    return job
  }

  /// What is to be owed: nil for no cleanup.
  private func expected(_ stored: Stored, _ state: JobState, remove: Bool) -> (remote: Remote?, owes: Bool) {
    switch stored {
    case .nothing: state == .active ? (.pending, true) : (nil, false)
    case .refused: state == .active ? (.pending, true) : (.clean, false)
    case .perhaps: (.pending, true)
    case .linked, .linkedAtLast: remove ? (.pending, true) : (.objectLeft, false)
    case .namedByAPerson: (.clean, false)
    }
  }

  @Test(arguments: open, Stored.allCases)
  func owedCleanupFollowsSentRequests(_ state: JobState, _ stored: Stored) throws {
    for remove in [false, true] {
      guard let before = try job(stored, in: state) else { continue }
      var job = before
      let transition = try job.take(.command(.cancel(remove: remove), by: .alice))
      let (remote, owes) = expected(stored, state, remove: remove)
      #expect(job.state == .cancelled && job.remote == remote)
      #expect(transition?.event?.step == before.step, "it is told of the step that was cancelled")
      #expect(transition?.attempt?.outcome == (state == .active ? .cut : nil))
      guard owes else {
        #expect(transition?.cleanup == nil)
        continue
      }
      guard case .owe(let cleanup)? = transition?.cleanup else {
        Issue.record("nothing is owed: \(String(describing: transition))")
        continue
      }
      #expect(cleanup.aim == (remove ? .remove : .look) && cleanup.nextAt == .start && cleanup.id == job.ticket.id)
      let isUnheard = stored == .perhaps || stored == .linkedAtLast || state == .active && before.step == .upload
      #expect(cleanup.uploadUnheardAt == (isUnheard ? .start : nil))
      #expect(cleanup.version == (job.tries.upload > 0 && before.link != nil ? "v7" : nil))
    }
  }

  @Test(arguments: open)
  func removalDropsLinkAndRestartsUpload(_ state: JobState) throws {
    var job = try #require(try job(.linked, in: state))
    try job.take(.command(.cancel(remove: true), by: .alice))
    #expect(job.link == nil && job.step == .upload)
    let transition = try job.take(.command(.retry, by: .alice))
    #expect(job.state == .queued && job.remote == .pending && job.waitsForCleanup && transition?.cleanup == .hurry)
    try job.take(.cleaned(.clean, nil))
    #expect(job.remote == nil && !job.waitsForCleanup && job.mayBeStored, "an upload before may still land")
    try job.take(.begin)
    #expect(job.state == .active && job.step == .upload)
  }

  @Test(arguments: JobState.allCases)
  func cleanupEndsInEveryState(_ state: JobState) throws {
    for (remote, kind) in [(Remote.clean, JobEvent.Kind.cleaned), (.objectLeft, .objectLeft)] {
      var job = try Job.sample(in: state)
      #expect(try job.take(.cleaned(remote, nil)) == nil, "nothing is owed")
      job.remote = .pending
      let refusal = remote == .clean ? nil : Failure(.destination, "HTTP 403 AccessDenied", status: 403)
      let transition = try job.take(.cleaned(remote, refusal))
      #expect(job.state == state && transition?.event?.kind == kind)
      #expect(transition?.event?.reason == refusal?.message)
      #expect(job.remote == (state == .cancelled || state == .discarded ? remote : nil))
      #expect(job.mayBeStored == (remote == .objectLeft))
      #expect(try job.take(.cleaned(remote, nil)) == nil, "it ends once")
    }
  }

  @Test func eventsReportStorageState() throws {
    var job = try #require(try job(.perhaps, in: .deferred))
    try job.take(.command(.cancel(), by: .alice))
    var other = job
    #expect(try job.take(.cleaned(.clean, nil))?.event?.message == "Nothing of a.pdf is left at storage.main")
    let refusal = Failure(.destination, "HTTP 403 AccessDenied: no", status: 403)
    #expect(
      try other.take(.cleaned(.objectLeft, refusal))?.event?.message
        == "The object of a.pdf may be left at storage.main: HTTP 403 AccessDenied: no")
  }
}

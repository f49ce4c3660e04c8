import MessageLiterals
import Testing

@testable import Jobs

/// A job whose file goes to another host, and one whose file came from there.
@Suite struct FailoverTransitionTests {
  private static let stops: [Inheritance.Stop?] = [
    nil, .init(.aborted, failure: Failure(.unavailable, "HTTP 503", status: 503)), .init(.cancelled, by: .alice),
    .init(.cancelled, remove: true, reason: "no", by: .alice), .init(.discarded, by: .alice),
  ]

  private static let link = StoredLink(
    link: "s3://documents/a.pdf",
    receipt: UploadReceipt(
      bucket: "documents", key: "a.pdf", size: 3, etag: "e", version: "v", sha256: nil, checksum: nil,
      contentType: "application/pdf", uploadedAt: .start), body: Array("{}".utf8))

  @Test(arguments: JobState.allCases, Step.allCases)
  func onlyFinishedJobsStay(state: JobState, step: Step) throws {
    let before = try Job.sample(in: state, step: step)
    var job = before
    let transition = try job.take(.movedAway(to: "host b"))
    switch state {
    case .registered, .skipped, .discarded, .moved:
      #expect(transition == nil)
      #expect(job == before)
    case .queued, .active, .deferred, .awaitingConfirmation, .awaitingCredentials, .awaitingNetwork, .aborted,
      .cancelled:
      #expect(job.state == .moved)
      #expect(job.disposedAt != nil && job.finishedAt != nil, "it may leave the ledger")
      #expect(transition?.event?.kind == .moved)
      #expect(transition?.event?.message == "a.pdf is now at host b")
      #expect((transition?.attempt?.outcome == .cut) == (state == .active))
      #expect(job.question == nil && job.nextAttemptAt == nil && job.release == nil)
    }
  }

  @Test(arguments: JobState.allCases, stops)
  func takeoverRestoresInheritedState(state: JobState, stop: Inheritance.Stop?) throws {
    for stored in [nil, Self.link] {
      let before = try Job.sample(in: state)
      var job = before
      let identity = FileIdentity(device: 9, inode: 9, size: 9, modified: 9, changed: 9)
      let transition = try job.take(
        .tookOver(Inheritance(identity: identity, stored: stored, stop: stop, from: "host b")))
      if state.phase == .done, state != .moved {
        #expect(transition == nil && job == before, "its file is disposed of here")
        continue
      }
      #expect(job.identity == identity)
      #expect(job.disposedAt == nil && job.release == nil && job.question == nil)
      if let stored { #expect(job.stored == stored) }
      switch stop?.kind {
      case nil:
        #expect(job.state == .queued && job.finishedAt == nil && job.failure == nil)
        #expect(job.step == (stored == nil ? .upload : .register))
        #expect(job.mayBeStored == (stored == nil), "another host may have stored it")
      case .aborted:
        #expect(job.state == .aborted && job.failure?.status == 503 && job.finishedAt != nil)
      case .cancelled:
        #expect(job.state == .cancelled && transition?.event?.by == .alice)
        #expect(job.link == (stop?.remove == true ? nil : stored))
        if stop?.remove == true, stored != nil { #expect(job.remote == .pending, "its object is to be removed") }
      case .discarded:
        #expect(job.state == .discarded && transition?.event?.kind == .discarded)
      }
    }
  }

  /// What was cancelled elsewhere goes on only when a person here says so.
  @Test func inheritedStopNeedsRetry() throws {
    var job = try Job.sample(in: .moved)
    try job.take(
      .tookOver(
        Inheritance(identity: job.identity, stored: .sample, stop: .init(.cancelled, by: .alice), from: "host b")))
    #expect(try job.take(.begin) == nil)
    try job.take(.command(.retry, by: .alice))
    #expect(job.state == .queued && job.step == .register && job.link == .sample)
  }

  @Test func movedJobDropsItsCleanup() throws {
    var job = Job.sample(step: .register)
    job.stored = Self.link
    try job.take(.command(.cancel(remove: true), by: .alice))
    #expect(job.remote == .pending)
    let transition = try job.take(.movedAway(to: "host b"))
    #expect(transition?.cleanup == .drop && job.remote == nil)
  }
}

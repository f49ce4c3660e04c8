import Jobs
import MessageLiterals
import Messages
import Testing

private let transient = Failure(.transient, "HTTP 500")

@Suite struct TransitionTests {
  /// For begin, upload succeeds, due, confirm, retry, cancel, disposed, destination gone, discard, release: the state that follows, -
  /// where it is passed over, or ! where it is refused.
  private static let table: [JobState: String] = [
    .queued: "active - - ! ! cancelled - awaiting-confirmation ! !",
    .active: "- queued - ! ! cancelled - - ! !",
    .deferred: "- - queued queued queued cancelled - awaiting-confirmation ! !",
    .awaitingConfirmation: "- - - queued queued cancelled - - ! !",
    .awaitingCredentials: "- - queued queued queued cancelled - awaiting-confirmation ! !",
    .awaitingNetwork: "- - queued queued queued cancelled - awaiting-confirmation ! !",
    .registered: "- - - ! ! ! registered - ! !",
    .skipped: "- - - ! ! ! skipped - ! !",
    .aborted: "- - - ! queued ! - - discarded aborted",
    .cancelled: "- - - ! queued ! - - discarded cancelled",
    .discarded: "- - - ! ! ! discarded - ! !",
  ]

  @Test(arguments: JobState.allCases)
  func everyStateAnswersEveryInput(_ state: JobState) throws {
    let row = try #require(Self.table[state]).split(separator: " ")
    let before = try Job.sample(in: state)
    let inputs: [JobInput] = [
      .begin, .finished(attempt: before.attempt, .uploaded(.sample)), .due, .command(.confirm(), by: .alice),
      .command(.retry, by: .alice), .command(.cancel(), by: .alice), .disposed,
      .mustAsk(Failure(.configuration, "storage.main is no longer configured")), .command(.discard, by: .alice),
      .command(.release(to: "/srv/back"), by: .alice),
    ]
    #expect(inputs.count == row.count)
    for (input, expected) in zip(inputs, row) {
      var job = before
      var answered: String
      do throws(Refusal) {
        answered = try job.take(input) == nil ? "-" : job.state.rawValue
      } catch {
        answered = "!"
      }
      #expect(answered == String(expected), "\(state) on \(input)")
      if ["-", "!"].contains(answered) {
        #expect(job == before, "\(state) on \(input) changes nothing")
      } else {
        #expect(job.revision == before.revision + 1, "\(state) on \(input)")
      }
    }
  }

  /// A sidecar that comes late answers the question about it. Another reason keeps the job asking; an answered question takes none.
  @Test func lateSidecarAnswersItsQuestion() throws {
    var job = Job.sample()
    try job.take(.mustAsk(Failure(.file, "its sidecar did not come", code: Failure.sidecarCode)))
    let sidecar = Parcel.Sidecar(pattern: try SidecarPattern("{name}.json"), identity: job.identity)
    let ticket = job.ticket.with(sidecar, key: "7/a.pdf", metadata: ["case": "7"], withheld: [])
    let asking = job
    #expect(asking.awaitsSidecar)
    let event = try job.take(.joined(ticket, asks: nil, by: .alice))?.event
    #expect(event?.message == "The sidecar a.pdf.json of a.pdf has come: nobody needs to confirm")
    #expect(event?.kind == .confirmed && job.state == .queued && job.failure == nil && job.ticket == ticket)
    #expect(try job.take(.joined(ticket, asks: nil, by: .alice)) == nil)

    var unusable = asking
    let failure = Failure(.file, "its sidecar is no JSON", code: Failure.sidecarCode)
    #expect(try unusable.take(.joined(ticket, asks: failure, by: .alice))?.event?.kind == .question)
    #expect(unusable.state == .awaitingConfirmation && unusable.failure == failure && unusable.ticket == ticket)
    #expect(!unusable.awaitsSidecar)

    var confirmed = asking
    try confirmed.take(.command(.confirm(), by: .alice))
    var cancelled = asking
    try cancelled.take(.command(.cancel(), by: .alice))
    for var answered in [confirmed, cancelled] {
      #expect(try answered.take(.joined(ticket, asks: nil, by: .alice)) == nil && answered.ticket.parcel == .file)
    }
    confirmed.mayBeStored = true
    try confirmed.take(.mustAsk(Failure(.file, "again", code: Failure.sidecarCode)))
    #expect(!confirmed.awaitsSidecar, "it may have been sent")
  }

  /// Bytes that were sent before end a job, with the earlier job's number in its event. An object that it stored itself is told of.
  @Test(arguments: Step.allCases) func recognizedJobIsSkippedOnce(_ step: Step) throws {
    var job = Job.sample(step: step)
    let receipt = UploadReceipt(
      bucket: "documents", key: "a.pdf", size: 3, etag: nil, version: nil, sha256: nil, checksum: nil,
      contentType: "application/pdf", uploadedAt: .start)
    if step == .register { job.stored = StoredLink(link: "s3://documents/a.pdf", receipt: receipt, body: []) }
    try job.take(.begin)
    let skipped = try job.take(.finished(attempt: 1, .recognized(.sample)))
    #expect(job.state == .skipped && job.recognized == .sample && job.remote == (step == .upload ? nil : .objectLeft))
    #expect(skipped?.event?.kind == .skipped && skipped?.attempt?.outcome == .succeeded && skipped?.cleanup == nil)
    #expect(skipped?.event?.message == "a.pdf skipped: the same bytes as job 7")
    #expect(try job.take(.finished(attempt: 1, .recognized(.sample))) == nil)
  }

  /// A person who confirms or retries a file that may have been sent has it sent, whatever happens to it later. On a card that was changed
  /// for another, the name may be another file's: what was allowed goes for the bytes that were asked about.
  @Test(arguments: [JobCommand.confirm(), .retry], [(7, false), (4, true)])
  func allowedDuplicateStaysAllowed(_ command: JobCommand, _ change: (modified: Int64, stays: Bool)) throws {
    for (failure, allows) in [(Failure(.rejected, "sent?", code: Failure.lostListCode), true), (transient, false)] {
      var job = Job.sample(parcel: .inPlace)
      try job.take(.begin)
      try job.take(.finished(attempt: 1, .failed(failure, .ask)))
      #expect(!job.sendsDuplicate)
      try job.take(.command(command, by: .alice))
      try job.take(.begin)
      try job.take(.finished(attempt: 2, .failed(transient, .ask)))
      try job.take(.command(.retry, by: .alice))
      #expect(job.sendsDuplicate == allows)
      try job.take(.begin)
      let now = FileIdentity(device: 1, inode: 9, size: job.identity.size, modified: change.modified, changed: 6)
      try job.take(.finished(attempt: 3, .changed(transient, .requeue, now: now)))
      #expect(job.identity == now && job.sendsDuplicate == (allows && change.stays))
    }
  }

  @Test(arguments: Step.allCases) func failuresAreToldAsTheContractSays(_ step: Step) throws {
    var (asked, aborted) = (Job.sample(step: step), Job.sample(step: step))
    try asked.take(.begin)
    let failure = Failure(.rejected, "HTTP 422: invoice number is taken", status: 422)
    let question = try asked.take(.finished(attempt: 1, .failed(failure, .ask)))
    #expect(asked.state == .awaitingConfirmation && asked.step == step && question?.attempt?.outcome == .failed)
    #expect(question?.event?.message == "\(step.noun) of a.pdf failed: HTTP 422: invoice number is taken. Retry?")
    #expect(asked.question?.message.text == question?.event?.message)
    let cancelled = try asked.take(.command(.cancel(reason: "twice"), by: .alice))
    #expect(cancelled?.event?.message == "\(step.noun) of a.pdf cancelled by alice" && asked.question == nil)
    #expect(cancelled?.event?.reason == "twice")
    try aborted.take(.begin)
    let end = try aborted.take(.finished(attempt: 1, .failed(Failure(.unavailable, "HTTP 503", status: 503), .abort)))
    #expect(aborted.state == .aborted && aborted.question == nil && aborted.finishedAt == .start)
    #expect(end?.event?.message == "\(step.noun) of a.pdf aborted: service unavailable (503)")
  }

  @Test func ignoresResultOfEarlierAttempt() throws {
    var job = Job.sample()
    try job.take(.begin)
    try job.take(.command(.cancel(), by: .alice))
    try job.take(.command(.retry, by: .alice))
    try job.take(.cleaned(.clean, nil))
    try job.take(.begin)
    #expect(try job.take(.finished(attempt: 1, .uploaded(.sample))) == nil)
    #expect(job.state == .active && job.attempt == 2)
  }

  /// An attempt that has added parts spends the first delay, whatever came before; one that was cut spends none.
  @Test(arguments: [false, true]) func progressAndAnswersRestartSchedule(_ hasProgressed: Bool) throws {
    var job = try Job.sample(in: .deferred)
    #expect(job.delaysSpent == 1 && job.nextAttemptAt == .start + .seconds(1))
    try job.take(.due)
    try job.take(.begin)
    #expect(try job.take(.finished(attempt: 2, .cut))?.attempt?.outcome == .cut && job.delaysSpent == 1)
    try job.take(.begin)
    var failure = Failure(.transient, "HTTP 500")
    failure.hasProgressed = hasProgressed
    try job.take(.finished(attempt: 3, .failed(failure, .retry(after: .seconds(1)))))
    #expect(job.delaysSpent == (hasProgressed ? 1 : 2))
    try job.take(.command(.confirm(), by: .alice))
    #expect(job.delaysSpent == 0 && job.nextAttemptAt == nil)
  }

  @Test func linkNeedsItsStoredForm() throws {
    let named = JobCommand.confirm(link: StoredLink.sample.link)
    for (command, link) in [
      (named, nil), (.confirm(link: "s3://documents/b.pdf"), .sample), (.confirm(), .sample),
    ] as [(JobCommand, StoredLink?)] {
      var job = try Job.sample(in: .awaitingConfirmation)
      let before = job
      #expect(throws: Refusal.self) { try job.take(.command(command, by: .alice, link: link)) }
      #expect(job == before)
    }
    var job = try Job.sample(in: .awaitingConfirmation)
    try job.take(.command(named, by: .alice, link: .sample))
    #expect(job.step == .register && job.state == .queued && job.stored == .sample)
    var later = try Job.sample(in: .awaitingConfirmation, step: .register)
    #expect(throws: Refusal.self) { try later.take(.command(named, by: .alice, link: .sample)) }
  }

  @Test func pendingReleaseHoldsJob() throws {
    var job = try Job.sample(in: .aborted)
    try job.take(.command(.release(to: "/srv/back"), by: .alice))
    #expect(job.state == .aborted && job.release == Release(to: "/srv/back", by: .alice))
    #expect(throws: Refusal.self) { try job.take(.command(.retry, by: .alice)) }
    var failed = job
    try failed.take(.releaseFailed)
    #expect(failed.release == nil && failed.state == .aborted)
    let transition = try job.take(.released)
    #expect(job.state == .discarded && transition?.event?.kind == .released && transition?.event?.by == .alice)
    // it stays known where the file went
    #expect(job.release == Release(to: "/srv/back", by: .alice))
    #expect(throws: Refusal.self) { try job.take(.command(.release(to: "/srv/other"), by: .alice)) }
    #expect(try job.take(.released) == nil && job.take(.releaseFailed) == nil)
  }
}

import Testing

@testable import Jobs

/// Jobs that facts alone describe: every way that a job can go, to a depth at which it can have ended twice.
@Suite struct PlainJobTests {
  private static let failure = Failure(.transient, "HTTP 500", mayHaveActed: true)
  private static let link = StoredLink(link: "https://example.org/other", receipt: nil, body: [])

  private static func inputs(_ job: Job) -> [JobInput] {
    let attempt = job.attempt
    let identity = FileIdentity(device: 9, inode: 9, size: 9, modified: 9, changed: 9)
    let upload = MultipartUpload(id: "u", partSize: 5, checksum: "sha256", file: identity)
    let verdicts: [Verdict] = [
      .abort, .retry(after: .seconds(1)), .wait(after: .seconds(1)), .ask, .requeue, .awaitCredentials, .awaitNetwork,
    ]
    let results: [AttemptResult] =
      [
        .uploaded(.sample), .registered(.sample), .changed(failure, .requeue, now: identity), .cut,
        .unanswered(Gate.Symptom(.unavailable)),
      ]
      + verdicts.map { .failed(failure, $0) }
    let answers: [Answer] = [
      .confirm(by: .alice, link: nil), .confirm(by: .alice, link: link), .retry(by: .alice),
      .cancel(Cancellation(by: .alice)), .cancel(Cancellation(by: .alice, remove: true)), .discard(by: .alice),
      .release(by: .alice, to: "/tmp"),
    ]
    return [
      .begin, .beganParts(attempt: attempt, upload), .due, .mustAsk(failure), .cleaned(.clean, nil),
      .cleaned(.objectLeft, nil), .disposed, .released, .releaseFailed,
    ] + results.filter { fits($0, job.step) }.map { .finished(attempt: attempt, $0) } + answers.map { .answer($0) }
  }

  /// A stage gives only the result of its own step.
  private static func fits(_ result: AttemptResult, _ step: Step) -> Bool {
    switch result {
    case .uploaded: step == .upload
    case .registered: step == .register
    case .failed, .changed, .cut, .unanswered: true
    }
  }

  /// The job that the facts of a plain one tell, if its attempt had not begun.
  private static func told(_ job: Job, uploadedAt: Timestamp?) -> Job {
    var told = Job(number: job.number, ticket: job.ticket, identity: job.identity)
    told.follow(
      uploaded: job.stored.flatMap { stored in uploadedAt.map { (stored, $0) } },
      registered: job.registration.flatMap { receipt in job.finishedAt.map { (receipt, $0) } },
      disposedAt: job.disposedAt)
    told.multipart = job.multipart
    if let at = job.attemptStartedAt { told.begin(at: at) }
    return told
  }

  private struct Way: Hashable {
    var job: Job
    var uploadedAt: Timestamp?
  }

  @Test func aJobThatLeftTheFactsNeverComesBackToThem() throws {
    var seen: Set<Way> = [Way(job: .sample())]
    var newest = seen
    var plain = 0
    for second in 1...7 {
      let now = Timestamp.start + .seconds(second)
      var next: Set<Way> = []
      for way in newest {
        for input in Self.inputs(way.job) {
          var changed = way
          do throws(Refusal) {
            guard try changed.job.apply(input, now: now, steady: now) != nil else { continue }
          } catch { continue }
          if case .finished(_, .uploaded) = input { changed.uploadedAt = now }
          let job = changed.job
          #expect(job.isPlain == job.followsFromFacts, "\(way.job) on \(input)")
          if job.isPlain {
            #expect(job == Self.told(job, uploadedAt: changed.uploadedAt))
            plain += 1
          }
          if seen.insert(changed).inserted { next.insert(changed) }
        }
      }
      newest = next
    }
    #expect(plain >= 6 && seen.count > 1000, "\(plain) of \(seen.count)")
  }
}

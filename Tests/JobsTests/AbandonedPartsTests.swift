import Jobs
import MessageLiterals
import Testing

/// An upload in parts that nobody goes on with is aborted at the storage. All ways to leave one are gone through in ``EndsTests``.
@Suite struct AbandonedPartsTests {
  private static let upload = MultipartUpload(
    id: "u1", partSize: 5 << 20, checksum: "sha256", file: Job.sample().identity)

  /// The object of the job.
  private static let link = StoredLink(
    link: "s3://documents/a.pdf",
    receipt: UploadReceipt(
      bucket: "documents", key: "a.pdf", size: 1, etag: nil, version: nil, sha256: nil, checksum: nil,
      contentType: "application/pdf", uploadedAt: .start), body: [])

  @Test func finishedUploadOwesNothing() throws {
    for link in [StoredLink.sample, Self.link] {
      var job = Job.sample()
      try job.take(.begin)
      try job.take(.beganParts(attempt: 1, Self.upload))
      let transition = try job.take(.finished(attempt: 1, .uploaded(link)))
      #expect(transition?.cleanup == nil && job.multipart == nil && job.remote == nil)
    }
  }

  /// What an earlier attempt may have stored is nobody's once the job ends without an object. It is looked for, and not removed: nobody has
  /// asked for that.
  @Test(arguments: [false, true]) func unusedObjectIsLookedFor(isStale: Bool) throws {
    var job = Job.sample()
    let failure = Failure(.transient, "no answer", mayHaveActed: !isStale)
    try job.take(.begin)
    try job.take(
      .finished(
        attempt: 1,
        isStale ? .changed(failure, .retry(after: .zero), now: job.identity) : .failed(failure, .retry(after: .zero))))
    try job.take(.due)
    try job.take(.begin)
    let recognized = Recognized(job: JobNumber(rawValue: 7), sha256: "00")
    let transition = try job.take(.finished(attempt: 2, .recognized(recognized)))
    guard case .owe(let cleanup)? = transition?.cleanup else {
      Issue.record("nothing is owed: \(String(describing: transition))")
      return
    }
    #expect(cleanup.aim == .look && cleanup.key == job.ticket.key)
    #expect(cleanup.uploadUnheardAt == (isStale ? nil : .start))
    #expect(!job.waitsForCleanup && job.state == .skipped)
    for (remote, refusal) in [
      (Remote.objectLeft, nil), (.objectLeft, Failure(.destination, "HTTP 403")), (.clean, nil),
    ] {
      var job = job
      let told = try job.take(.cleaned(remote, refusal))?.event?.kind
      #expect(told == (remote == .clean ? .cleaned : .objectLeft) && job.remote == nil)
    }
  }

  /// An earlier attempt's CreateMultipartUpload may have been carried out although its answer was lost, and later than the storage listed
  /// its uploads. The object's own upload is not touched.
  @Test func uploadBesideOwnOneIsAborted() throws {
    var job = Job.sample()
    try job.take(.begin)
    try job.take(
      .finished(attempt: 1, .failed(Failure(.transient, "no answer", mayHaveActed: true), .retry(after: .zero))))
    try job.take(.due)
    try job.take(.begin)
    try job.take(.beganParts(attempt: 2, Self.upload))
    guard case .owe(let cleanup)? = try job.take(.finished(attempt: 2, .uploaded(Self.link)))?.cleanup
    else {
      Issue.record("nothing is owed")
      return
    }
    #expect(cleanup.aim == .keep && cleanup.uploadID == "u1" && cleanup.uploadUnheardAt == .start)
    #expect(job.state == .queued && job.step == .register && !job.waitsForCleanup)
    #expect(try job.take(.cleaned(.clean, nil)) == .silent && job.remote == nil)
  }

  @Test func uploadBegunDuringCancelOwesAbort() throws {
    var job = Job.sample()
    try job.take(.begin)
    try job.take(.command(.cancel(), by: .alice))
    let transition = try job.take(.beganParts(attempt: 1, Self.upload))
    guard case .owe(let cleanup)? = transition?.cleanup else {
      Issue.record("nothing is owed: \(String(describing: transition))")
      return
    }
    #expect(cleanup.uploadID == "u1" && cleanup.aim == .look && transition?.event == nil)
    #expect(job.remote == .pending && job.multipart == nil, "a later attempt begins anew")
  }
}

import ChildProcesses
import Jobs
import MessageLiterals
import Seams
import Testing

/// Whatever a job has at the storage is its registered object, or owed, or told: after each sequence of what can happen to it.
@Suite struct EndsTests {
  /// What is, or may be, at the storage, whatever the job believes.
  private struct Truth: Hashable {
    var hasObject = false
    var hasOldObject = false
    /// A request was not answered: an object or an upload of the job may be there, or come.
    var isUnheard = false
    var upload: String?
    var owed: Cleanup?
    /// True if a person was told that an object may be left, since the last attempt began.
    var isTold = false
  }

  private struct World: Hashable {
    var job: Job
    var truth = Truth()
  }

  private static let lost = Failure(.transient, "no answer", mayHaveActed: true)
  private static let refused = Failure(.rejected, "HTTP 422", status: 422)
  private static let own = StoredLink(
    link: "s3://documents/a.pdf",
    receipt: UploadReceipt(
      bucket: "documents", key: "a.pdf", size: 3, etag: "e", version: nil, sha256: nil, checksum: nil,
      contentType: "application/pdf", uploadedAt: .start), body: [])

  /// Everything that can happen to a job; what does not fit its state is refused or ignored.
  private static func inputs(_ job: Job) -> [JobInput] {
    let attempt = job.attempt
    let failures = [lost, refused].flatMap { failure in
      [Verdict.retry(after: .zero), .ask, .abort].map { AttemptResult.failed(failure, $0) }
    }
    let results: [AttemptResult] =
      failures + [
        .changed(refused, .retry(after: .zero), now: job.identity), .cut, .unanswered(Gate.Symptom(.transient)),
      ]
      + (job.step == .upload
        ? [.uploaded(own), .recognized(.sample)] : [.registered(.sample), .recognized(.sample)])
    let upload = MultipartUpload(id: "u1", partSize: 5 << 20, checksum: "sha256", file: job.identity)
    return [.begin, .due, .released, .releaseFailed, .disposed]
      + results.map { .finished(attempt: attempt, $0) } + [.beganParts(attempt: attempt, upload)]
      + [.confirm(), .retry, .cancel(), .cancel(remove: true), .discard, .release(to: "/back")]
      .map { .command($0, by: .alice) }
      + [.command(.confirm(link: StoredLink.sample.link), by: .alice, link: .sample)]
      + [.cleaned(.clean, nil), .cleaned(.objectLeft, nil), .cleaned(.objectLeft, refused)]
  }

  /// Has an input happen, to the job and to the storage; nil if it does not fit.
  private static func next(_ world: World, _ input: JobInput) -> World? {
    let before = world.job
    var next = world
    if case .cleaned(let remote, _) = input {
      guard let owed = world.truth.owed, owed.aim != .keep || remote == .clean else { return nil }
    }
    // The ledger begins no such job.
    if case .begin = input, before.waitsForCleanup { return nil }
    guard let transition = try? next.job.take(input) else { return nil }
    switch input {
    case .begin: next.truth.isTold = false
    case .beganParts(_, let upload): next.truth.upload = upload.id
    case .finished(_, .failed(let failure, _)) where before.step == .upload && failure.mayHaveActed:
      next.truth.isUnheard = true
    case .finished(_, .cut) where before.step == .upload: next.truth.isUnheard = true
    case .finished(_, .changed) where before.step == .upload: next.truth.hasOldObject = true
    case .finished(_, .uploaded(own)):
      // Another request may still come: it makes the same object, unless it begins an upload in parts.
      next.truth.isUnheard = world.truth.isUnheard && (world.truth.upload != nil || before.objectMayBeStale)
      (next.truth.hasObject, next.truth.hasOldObject, next.truth.upload) = (true, false, nil)
    case .command(.cancel, _, _) where before.state == .active && before.step == .upload: next.truth.isUnheard = true
    case .cleaned(let remote, _):
      // A job that is started again does not wait until nothing can come.
      if world.truth.owed?.uploadUnheardAt != nil { next.truth.isUnheard = false }
      if remote == .clean, world.truth.owed?.aim != .keep { next.truth.hasObject = false }
      (next.truth.owed, next.truth.hasOldObject, next.truth.upload) = (nil, false, nil)
    default: break
    }
    switch transition.cleanup {
    case .owe(let cleanup)?:
      var all = next.truth.owed ?? cleanup
      if next.truth.owed != nil { all.add(cleanup) }
      next.truth.owed = all
    case .hurry?: next.truth.owed?.hurry(.start)
    case .drop?: next.truth.owed = nil
    case nil: break
    }
    if transition.event?.kind == .objectLeft { next.truth.isTold = true }
    // What only counts up, or is only shown, makes no other world.
    next.job.revision = 1
    (next.job.failure, next.job.question) = (nil, nil)
    next.job.tries = Tries(upload: min(next.job.tries.upload, 2), register: min(next.job.tries.register, 1))
    next.job.delaysSpent = 0
    return next
  }

  private static func fault(_ world: World) -> String? {
    let (job, truth) = (world.job, world.truth)
    let isOver = [.skipped, .cancelled, .discarded].contains(job.state)
    let isLoose = truth.isUnheard || truth.hasOldObject || truth.upload != nil || truth.hasObject && isOver
    if job.remote == .pending, truth.owed == nil { return "it is pending, and nothing is owed" }
    if job.remote == .clean, isLoose { return "it is said to be clean" }
    if isOver || job.step == .register {
      if isLoose, truth.owed == nil, job.remote != .objectLeft, !truth.isTold { return "it is neither owed nor told" }
      if let upload = truth.upload, truth.owed?.uploadID != upload { return "nobody aborts \(upload)" }
      if truth.isUnheard, let owed = truth.owed, owed.uploadUnheardAt == nil { return "it is looked for too early" }
    } else if truth.owed == nil {
      if truth.isUnheard || truth.hasOldObject, !job.mayBeStored, !job.objectMayBeStale {
        return "the next attempt does not look"
      }
      if let upload = truth.upload, job.multipart?.id != upload { return "the next attempt does not know \(upload)" }
    }
    return nil
  }

  @Test func whatLiesAtStorageIsOwedOrTold() {
    var seen: Set<World> = [World(job: .sample())]
    var front = Array(seen)
    var faults: [String] = []
    for depth in 1...7 {
      var new: [World] = []
      for world in front {
        for input in Self.inputs(world.job) {
          guard let next = Self.next(world, input), seen.insert(next).inserted else { continue }
          if let fault = Self.fault(next) {
            faults.append("\(fault): \(next.job.state) after \(depth) steps, last \(input), \(next.truth)")
          } else {
            new.append(next)
          }
        }
      }
      // All sequences of three, and how one of three of them goes on: all take a minute.
      front = depth == 3 ? Seeds.share(new, of: 3) : new
    }
    #expect(seen.count > 500)
    #expect(faults.isEmpty, "\(faults.count) faults: \(faults.prefix(5).joined(separator: "\n"))")
  }

  /// The version that the job made, whatever is at the key by then. And a retry waits until it is gone.
  @Test func removalNamesOwnVersion() throws {
    var job = Job.sample()
    try job.take(.begin)
    var receipt = try #require(Self.own.receipt)
    receipt.version = "v7"
    try job.take(.finished(attempt: 1, .uploaded(StoredLink(link: Self.own.link, receipt: receipt, body: []))))
    guard case .owe(let cleanup)? = try job.take(.command(.cancel(remove: true), by: .alice))?.cleanup else {
      Issue.record("nothing is owed")
      return
    }
    #expect(cleanup.aim == .remove && cleanup.version == "v7" && job.link == nil)
    #expect(try job.take(.command(.retry, by: .alice))?.cleanup == .hurry)
    #expect(job.step == .upload && job.remote == .pending && job.waitsForCleanup)
    #expect(try job.take(.cleaned(.clean, nil))?.event?.message == "Nothing of a.pdf is left at storage.main")
    #expect(job.remote == nil && !job.waitsForCleanup && job.mayBeStored, "an upload before may still land")
  }
}

import ChildProcesses
import Jobs
import MessageLiterals
import Testing

@testable import Ledger

final class LedgerRun {
  let box: LedgerBox
  let ledger: JobLedger
  var random: SplitMix64
  var jobs: [JobNumber: Job] = [:]
  private var files = 0

  init(seed: UInt64) throws {
    box = try LedgerBox()
    ledger = try box.open()
    random = SplitMix64(seed: seed)
  }

  private func pick(_ state: JobState...) -> Job? {
    jobs.values.filter { state.contains($0.state) }.sorted { $0.number < $1.number }.randomElement(using: &random)
  }

  private func note(_ job: Job?) {
    if let job { jobs[job.number] = job }
  }

  func step() async throws {
    box.time.pass(.microseconds(.random(in: 1...2_000_000, using: &random)))
    switch Int.random(in: 0..<16, using: &random) {
    case 0, 1, 2: try await admit()
    case 3: for job in try await ledger.beginDue(upTo: .random(in: 1...3, using: &random), in: both) { note(job) }
    case 4...10: try await finish()
    case 11, 12: try await answer()
    case 13: try await release()
    case 14: try await dispose()
    default: try await pause()
    }
  }

  private func admit() async throws {
    let admissions = (0..<Int.random(in: 1...4, using: &random)).map { _ in
      files += 1
      return Admission.sample(
        "\(files)", spool: ["a", "b"].randomElement(using: &random) ?? "a",
        priority: .random(in: 0...1, using: &random),
        size: [3, 1 << 30].randomElement(using: &random) ?? 3)
    }
    let before = ledger.counts.jobs.byState.values.reduce(0, +)
    for job in try await ledger.admit(admissions, begin: .random(in: 0...2, using: &random), in: both) { note(job) }
    #expect(ledger.counts.jobs.byState.values.reduce(0, +) == before + admissions.count)
    for event in box.events where event.kind == .admitted && jobs[event.job.number] == nil { note(event.job) }
  }

  private func finish() async throws {
    guard var job = pick(.active) else { return }
    if job.step == .upload, Int.random(in: 0..<4, using: &random) == 0 {
      let upload = MultipartUpload(
        id: "2~ü \(Int.random(in: 0..<9, using: &random))", partSize: 5 << 20, checksum: "crc64nvme",
        file: FileIdentity(device: .max, inode: 2, size: 3, modified: 4, changed: 5))
      #expect(try await ledger.beganParts(job, upload))
      _ = try job.apply(.beganParts(attempt: job.attempt, upload), now: box.time.now, steady: box.time.now)
      note(job)
    }
    let (done, next) = try await ledger.finish(job, result(job), thenTakeIn: Bool.random(using: &random) ? both : nil)
    note(done)
    note(next)
  }

  private func result(_ job: Job) -> AttemptResult {
    let failure = Failure(.rejected, "HTTP 422: \(files)", status: 422, mayHaveActed: Bool.random(using: &random))
    let verdicts: [Verdict] = [.abort, .retry(after: .seconds(1)), .wait(after: .seconds(2)), .ask, .requeue]
    let verdict = verdicts.randomElement(using: &random) ?? .ask
    return switch Int.random(in: 0..<10, using: &random) {
    case 0: .cut
    case 1, 2: .failed(failure, verdict)
    case 4:
      .recognized(
        Recognized(
          job: JobNumber(rawValue: 1), sha256: String(repeating: "0", count: 64)))
    case 6 where job.step == .upload: .failed(Failure(.file, "away", code: Failure.awayCode), .wait(after: .seconds(2)))
    case 5 where job.step == .upload:
      .failed(Failure(.rejected, "sent?", code: Failure.lostListCode), .ask)
    case 3 where job.step == .upload:
      .changed(failure, .requeue, now: FileIdentity(device: 1, inode: 2, size: 9, modified: 5, changed: 6))
    default: job.step == .upload ? .uploaded(.sample) : .registered(.sample)
    }
  }

  private func answer() async throws {
    guard let job = jobs.values.sorted(by: { $0.number < $1.number }).randomElement(using: &random) else { return }
    let link = Bool.random(using: &random) ? StoredLink.sample : nil
    let commands: [JobCommand] = [
      .confirm(link: link?.link), .retry, .cancel(reason: "why not", remove: Bool.random(using: &random)), .discard,
      .release(to: "/tmp"),
    ]
    let command = commands.randomElement(using: &random) ?? commands[0]
    do {
      let confirmed = command.name == .confirm ? link : nil
      note(try await ledger.carryOut(command, on: .number(job.number), by: .alice, link: confirmed).job)
    } catch is Refusal {
      // it does not fit the state
    }
  }

  private func release() async throws {
    guard let job = jobs.values.first(where: { $0.release != nil && $0.state != .discarded }) else { return }
    note(
      Bool.random(using: &random)
        ? try await ledger.released(job.number) : try await ledger.releaseFailed(job.number))
  }

  private func dispose() async throws {
    guard var job = pick(.registered, .skipped, .discarded), job.disposedAt == nil else { return }
    ledger.disposed([job])
    _ = try await ledger.beginDue(upTo: 0, in: .none)  // what is noted is committed before this
    _ = try job.apply(.disposed, now: box.time.now, steady: box.time.now)
    note(job)
  }

  private func pause() async throws {
    _ = try await ledger.pause(.spool("a"), by: .alice)
    if Bool.random(using: &random) { _ = try await ledger.resume(.spool("a"), by: .alice) }
  }

  /// Takes in what changed without an answer: jobs whose time has come.
  func settle() async throws {
    for job in jobs.values where job.state == .deferred {
      guard let due = job.nextAttemptAt, due <= box.time.now else { continue }
      note(try await ledger.job(.number(job.number)))
    }
  }
}

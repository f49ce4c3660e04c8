import Jobs
import MessageLiterals
import Testing

@Suite struct CleanupTests {
  private static let lost = CleanupResult.failed(
    Failure(.transient, "HTTP 500", status: 500), .retry(after: .seconds(1)))

  private static let landing = Duration.seconds(600)

  private func cleanup(
    _ aim: Cleanup.Aim = .look, version: String? = nil, uploadID: String? = nil, mayStillLand: Bool = false
  ) -> Cleanup {
    Cleanup(
      job: JobNumber(rawValue: 42), id: Job.sample().ticket.id, spool: "documents", storage: "main",
      bucket: "documents", key: "a.pdf", aim: aim, version: version, uploadID: uploadID,
      uploadUnheardAt: mayStillLand ? .start : nil, nextAt: .start)
  }

  private func begun(_ cleanup: Cleanup) -> Cleanup {
    var cleanup = cleanup
    cleanup.begin(.start)
    return cleanup
  }

  @Test(arguments: [
    (CleanupResult.absent, Remote.clean), (.removed, .clean), (.left, .objectLeft),
    (.refused(Failure(.destination, "HTTP 403", status: 403)), .objectLeft),
  ])
  func endsOnceStorageAnswers(_ result: CleanupResult, _ remote: Remote) {
    let begun = begun(cleanup(.remove))
    var now = begun
    #expect(now.end(result, of: begun, landing: Self.landing, steady: .start) == remote)
  }

  @Test func retriesForeverWithGrowingPauses() {
    var now = cleanup()
    var pauses: [Int64] = []
    for _ in 1...8 {
      let begun = begun(now)
      now = begun
      #expect(now.end(Self.lost, of: begun, landing: Self.landing, steady: .start) == .pending)
      pauses.append((now.nextAt ?? .start).microseconds - Timestamp.start.microseconds)
    }
    #expect(pauses.map { $0 / 1_000_000 } == [30, 60, 120, 240, 480, 900, 900, 900])
    #expect(now.failure?.words == "HTTP 500" && now.tries == 8)
  }

  /// A deletion that nobody has heard of may come after whatever a retry stores, so the job waits for it.
  @Test(arguments: [
    CleanupResult.cut, .failed(Failure(.transient, "no answer", mayHaveActed: true), .retry(after: .seconds(1))),
  ])
  func retryWaitsForLateDeletion(_ unheard: CleanupResult) {
    for result in [CleanupResult.absent, .removed, .left, .refused(Failure(.destination, "HTTP 403", status: 403))] {
      var now = begun(cleanup(.remove))
      #expect(now.end(unheard, of: now, landing: Self.landing, steady: .start) == .pending)
      let landed = Timestamp.start + Self.landing
      #expect(now.deletionUnheardAt == .start)
      now.hurry(.start + .seconds(1))
      now.begin(.start + .seconds(1))
      #expect(now.end(result, of: now, landing: Self.landing, steady: landed) == .pending && now.nextAt == landed)
      now.begin(landed)
      #expect(now.end(result, of: now, landing: Self.landing, steady: landed) != .pending)
    }
  }

  /// Nothing was deleted, so nothing can be.
  @Test(arguments: [false, true]) func failureBeforeDeletionDelaysNothing(_ remove: Bool) {
    var now = begun(cleanup(remove ? .remove : .look))
    let failure = Failure(.network, "no route", mayHaveActed: !remove)
    #expect(now.end(.failed(failure, .awaitNetwork), of: now, landing: Self.landing, steady: .start) == .pending)
    #expect(now.deletionUnheardAt == nil)
  }

  /// S3 refuses a look at what is not there, if the key may not list.
  @Test func refusedLookAfterDeletionFindsNothing() {
    let refused = CleanupResult.refused(Failure(.destination, "HTTP 403", status: 403))
    let landed = Timestamp.start + Self.landing
    for (first, end) in [(CleanupResult.removed, Remote.clean), (.absent, .objectLeft)] {
      var now = begun(cleanup(.remove, mayStillLand: true))
      #expect(now.end(first, of: now, landing: Self.landing, steady: .start) == .pending)
      now.begin(landed)
      #expect(now.end(refused, of: now, landing: Self.landing, steady: landed) == end)
    }
  }

  @Test(arguments: [false, true]) func objectThatStaysIsToldAtOnce(_ mayStillLand: Bool) {
    var now = begun(cleanup(uploadID: "u1", mayStillLand: mayStillLand))
    #expect(now.end(.left, of: now, landing: Self.landing, steady: .start) == .objectLeft)
    #expect(now.nextAt == (mayStillLand ? .start + Gate.firstPause : nil))
    guard mayStillLand else { return }
    #expect(now.aim == .keep && now.uploadID == nil)
    now.begin(.start + Self.landing)
    #expect(
      now.end(.absent, of: now, landing: Self.landing, steady: .start + Self.landing) == .clean && now.nextAt == nil)
  }

  /// Whenever an upload or a deletion takes effect within its time, a look comes after it, and until then the cleanup is pending. It looks
  /// meanwhile too, not only at the end.
  @Test(arguments: Cleanup.Aim.allCases, [1, 5, 25, 60, 599]) func looksUntilNothingCanCome(
    _ aim: Cleanup.Aim, _ lands: Int
  ) {
    var now = cleanup(aim, mayStillLand: true)
    var looks: [Timestamp] = []
    var steady = Timestamp.start
    while let at = now.nextAt, looks.count < 100 {
      steady = max(steady, at)
      looks.append(steady)
      now.begin(steady)
      let remote = now.end(.absent, of: now, landing: Self.landing, steady: steady)
      #expect((remote == .pending) == (now.nextAt != nil))
    }
    let landing = Timestamp.start + .seconds(lands)
    #expect(looks.contains { $0 >= landing })
    #expect(looks.last == .start + Self.landing && (4...8).contains(looks.count), "\(looks)")
    let first = looks.first { $0 >= landing } ?? .start
    #expect(first - landing <= max(.seconds(30), landing - .start), "a late one is found soon")
  }

  @Test func hurrySkipsWaitForLateObject() {
    let first = begun(cleanup(mayStillLand: true))
    var inFlight = first
    inFlight.hurry(.start)
    #expect(inFlight.nextAt == nil && inFlight.end(.absent, of: first, landing: Self.landing, steady: .start) == .clean)
    var waits = first
    _ = waits.end(.absent, of: first, landing: Self.landing, steady: .start)
    waits.hurry(.start + .seconds(1))
    #expect(waits.nextAt == .start + .seconds(1) && waits.uploadUnheardAt == nil)
  }

  @Test func requestDuringTryIsDoneNext() {
    let begun = begun(cleanup())
    var now = begun
    now.add(cleanup(.remove))
    #expect(now.nextAt == nil && now.aim == .remove, "it is not begun twice at a time")
    #expect(now.end(.left, of: begun, landing: Self.landing, steady: .start) == .pending)
    #expect(now.nextAt == .start && now.aim == .remove)
  }

  /// No question is open for it, so no gate may wait for an answer.
  @Test func reportsToGateLikeAttempt() {
    let (job, fault) = (JobNumber(rawValue: 42), Failure(.destination, "certificate"))
    #expect(CleanupResult.absent.gateEvent(of: job) == .succeeded(job))
    #expect(CleanupResult.cut.gateEvent(of: job) == .cut(job))
    #expect(CleanupResult.refused(fault).gateEvent(of: job) == .failed(job, Gate.Symptom(.answered)))
    #expect(CleanupResult.failed(fault, .ask).gateEvent(of: job) == .failed(job, Gate.Symptom(.transient)))
    let refusal = Failure(.unavailable, "HTTP 503", status: 503, retryAfter: .seconds(9))
    let symptom = Gate.Symptom(.unavailable, retryAfter: .seconds(9))
    #expect(CleanupResult.failed(refusal, .abort).gateEvent(of: job) == .failed(job, symptom))
  }
}

import Jobs
import MessageLiterals
import Testing

/// A cleanup from try to try.
@Suite struct CleanupTests {
  private static let lost = CleanupResult.failed(
    Failure(.transient, "HTTP 500", status: 500), .retry(after: .seconds(1)))

  private func cleanup(remove: Bool = false, version: String? = nil, mayStillLand: Bool = false) -> Cleanup {
    Cleanup(
      job: JobNumber(rawValue: 42), id: Job.sample().ticket.id, spool: "documents", storage: "main",
      bucket: "documents", key: "a.pdf", remove: remove, version: version,
      uploadLandsBy: mayStillLand ? .start + Cleanup.landing : nil, nextAt: .start)
  }

  private func begun(_ cleanup: Cleanup) -> Cleanup {
    var cleanup = cleanup
    cleanup.begin(.start)
    return cleanup
  }

  @Test func tryInFlightIsNotDue() {
    let begun = begun(cleanup())
    #expect(begun.nextAt == nil && begun.tries == 1)
  }

  @Test(arguments: [
    (CleanupResult.absent, Remote.clean), (.removed, .clean), (.left, .objectLeft),
    (.refused(Failure(.destination, "HTTP 403", status: 403)), .objectLeft),
  ])
  func endsOnceStorageAnswers(_ result: CleanupResult, _ remote: Remote) {
    let begun = begun(cleanup(remove: true))
    var now = begun
    #expect(now.end(result, of: begun, steady: .start) == remote)
  }

  @Test func retriesForeverWithGrowingPauses() {
    var now = cleanup()
    var pauses: [Int64] = []
    for _ in 1...8 {
      let begun = begun(now)
      now = begun
      #expect(now.end(Self.lost, of: begun, steady: .start) == .pending)
      pauses.append((now.nextAt ?? .start).microseconds - Timestamp.start.microseconds)
    }
    #expect(pauses.map { $0 / 1_000_000 } == [30, 60, 120, 240, 480, 900, 900, 900])
    #expect(now.failure?.words == "HTTP 500" && now.tries == 8)
  }

  @Test func serverMayRequestLongerPause() {
    let begun = begun(cleanup())
    var now = begun
    let failure = Failure(.throttled, "HTTP 429", status: 429, retryAfter: .seconds(90))
    _ = now.end(.failed(failure, .wait(after: .seconds(90))), of: begun, steady: .start)
    #expect(now.nextAt == .start + .seconds(90))
  }

  @Test func cutTryRestartsAtOnce() {
    let begun = begun(cleanup())
    var now = begun
    #expect(now.end(.cut, of: begun, steady: .start) == .pending)
    #expect(now.nextAt == .start)
  }

  /// Besides the one that is not there, or that was just deleted, another one may still arrive: as another version.
  @Test(arguments: [CleanupResult.absent, .removed], [CleanupResult.absent, .removed])
  func looksOnceMoreForLateObject(_ before: CleanupResult, _ after: CleanupResult) {
    let landed = Timestamp.start + Cleanup.landing
    var now = begun(cleanup(remove: true, version: "v7", mayStillLand: true))
    #expect(now.end(before, of: now, steady: .start) == .pending)
    #expect(now.nextAt == landed && now.version == nil)
    // A gate that opens makes it due before its time: that look proves nothing either.
    now.begin(.start + .seconds(1))
    #expect(now.end(.absent, of: now, steady: landed) == .pending && now.nextAt == landed)
    now.begin(landed)
    #expect(now.end(after, of: now, steady: landed) == .clean)
  }

  /// A deletion that nobody has heard of may come after whatever a retry stores, so the job waits for it.
  @Test(arguments: [
    CleanupResult.cut, .failed(Failure(.transient, "no answer", mayHaveActed: true), .retry(after: .seconds(1))),
  ])
  func retryWaitsForLateDeletion(_ unheard: CleanupResult) {
    for result in [CleanupResult.absent, .removed, .left, .refused(Failure(.destination, "HTTP 403", status: 403))] {
      var now = begun(cleanup(remove: true))
      #expect(now.end(unheard, of: now, steady: .start) == .pending)
      let landed = Timestamp.start + Cleanup.landing
      #expect(now.deletionLandsBy == landed)
      now.hurry(.start + .seconds(1))
      now.begin(.start + .seconds(1))
      #expect(now.end(result, of: now, steady: .start + .seconds(2)) == .pending && now.nextAt == landed)
      now.begin(landed)
      #expect(now.end(result, of: now, steady: landed) != .pending)
    }
  }

  /// Nothing was deleted, so nothing can be.
  @Test(arguments: [false, true]) func failureBeforeDeletionDelaysNothing(_ remove: Bool) {
    var now = begun(cleanup(remove: remove))
    let failure = Failure(.network, "no route", mayHaveActed: !remove)
    #expect(now.end(.failed(failure, .awaitNetwork), of: now, steady: .start) == .pending)
    #expect(now.deletionLandsBy == nil)
  }

  /// S3 refuses a look at what is not there, if the key may not list.
  @Test func refusedLookAfterDeletionFindsNothing() {
    let refused = CleanupResult.refused(Failure(.destination, "HTTP 403", status: 403))
    let landed = Timestamp.start + Cleanup.landing
    for (first, end) in [(CleanupResult.removed, Remote.clean), (.absent, .objectLeft)] {
      var now = begun(cleanup(remove: true, mayStillLand: true))
      #expect(now.end(first, of: now, steady: .start) == .pending)
      now.begin(landed)
      #expect(now.end(refused, of: now, steady: landed) == end)
    }
  }

  @Test func objectThatStaysNeedsNoSecondLook() {
    var now = begun(cleanup(mayStillLand: true))
    #expect(now.end(.left, of: now, steady: .start) == .objectLeft)
  }

  @Test func hurrySkipsWaitForLateObject() {
    let first = begun(cleanup(mayStillLand: true))
    var inFlight = first
    inFlight.hurry(.start)
    #expect(inFlight.nextAt == nil && inFlight.end(.absent, of: first, steady: .start) == .clean)
    var waits = first
    _ = waits.end(.absent, of: first, steady: .start)
    waits.hurry(.start + .seconds(1))
    #expect(waits.nextAt == .start + .seconds(1) && waits.uploadLandsBy == nil)
  }

  @Test func requestDuringTryIsDoneNext() {
    let begun = begun(cleanup())
    var now = begun
    now.add(cleanup(remove: true))
    #expect(now.nextAt == nil && now.remove, "it is not begun twice at a time")
    #expect(now.end(.left, of: begun, steady: .start) == .pending)
    #expect(now.nextAt == .start && now.remove)
  }

  @Test func owedRemovalStaysOwed() {
    var now = cleanup(remove: true)
    now.add(cleanup())
    #expect(now.remove)
  }

  /// No question is open for it, so no gate may wait for an answer.
  @Test(arguments: [
    (CleanupResult.absent, Gate.Event.succeeded(JobNumber(rawValue: 42))),
    (.cut, .cut(JobNumber(rawValue: 42))),
    (
      .refused(Failure(.destination, "HTTP 403", status: 403)),
      .failed(JobNumber(rawValue: 42), Gate.Symptom(.answered))
    ),
    (
      .failed(Failure(.destination, "certificate", status: nil), .ask),
      .failed(JobNumber(rawValue: 42), Gate.Symptom(.transient))
    ),
    (
      .failed(Failure(.unavailable, "HTTP 503", status: 503, retryAfter: .seconds(9)), .abort),
      .failed(JobNumber(rawValue: 42), Gate.Symptom(.unavailable, retryAfter: .seconds(9)))
    ),
    (
      .failed(Failure(.credentials, "HTTP 401", status: 401), .awaitCredentials),
      .failed(JobNumber(rawValue: 42), Gate.Symptom(.credentials))
    ),
  ])
  func reportsToGateLikeAttempt(_ result: CleanupResult, _ event: Gate.Event) {
    #expect(result.gateEvent(of: JobNumber(rawValue: 42)) == event)
  }
}

import Jobs
import MessageLiterals
import Messages
import Testing

@Suite struct GateSymptomTests {
  /// The symptoms that failures are of their destination: every kind, and the statuses that contract and gate tell apart.
  private static let meanings: [(Failure, Verdict, Gate.Symptom.Kind)] = [
    (Failure(.unavailable, "503", status: 503), .abort, .unavailable),
    (Failure(.unavailable, "503", status: 503), .retry(after: .zero), .gateway),
    (Failure(.credentials, "401", status: 401), .awaitCredentials, .credentials),
    (Failure(.network, "refused"), .awaitNetwork, .network),
    (Failure(.throttled, "429", status: 429), .wait(after: .zero), .throttled),
    (Failure(.transient, "500", status: 500), .ask, .gateway),
    (Failure(.transient, "507", status: 507), .ask, .gateway),
    (Failure(.transient, "508", status: 508), .ask, .transient),
    (Failure(.transient, "520", status: 520), .ask, .gateway),
    (Failure(.transient, "599", status: 599), .ask, .transient),
    (Failure(.transient, "408", status: 408), .ask, .transient),
    (Failure(.transient, "999", status: 999), .ask, .transient),
    (Failure(.transient, "502", status: 502), .ask, .gateway),
    (Failure(.transient, "504", status: 504), .retry(after: .zero), .gateway),
    (Failure(.transient, "timed out", code: Failure.timeoutCode), .ask, .gateway),
    (Failure(.transient, "connection lost", code: "curl-56"), .ask, .gateway),
    (Failure(.transient, "no HTTP", code: "curl-1"), .ask, .gateway),
    (Failure(.transient, "no memory here", code: "curl-27"), .ask, .transient),
    (Failure(.transient, "the file became shorter"), .ask, .transient),
    (Failure(.destination, "301", status: 301), .ask, .doubtful),
    (Failure(.destination, "403", status: 403, code: Failure.clockCode), .ask, .destination),
    (Failure(.destination, "not trusted", code: "curl-60"), .ask, .destination),
    (Failure(.conflict, "409", status: 409), .ask, .answered),
    (Failure(.rejected, "422", status: 422), .ask, .answered),
    (Failure(.rejected, "400", status: 400), .ask, .answered),
    (Failure(.rejected, "the key is too long"), .ask, .local),
    (Failure(.file, "gone"), .ask, .local),
    (Failure(.fileChanged, "changed"), .wait(after: .zero), .local),
    (Failure(.configuration, "no such storage"), .ask, .local),
  ]

  @Test(arguments: meanings.indices)
  func mapsFailuresToSymptoms(_ row: Int) {
    let (failure, verdict, kind) = Self.meanings[row]
    let symptom = Gate.Symptom(of: failure, verdict)
    #expect(symptom.kind == kind && (symptom.rejection != nil) == (failure.status == 400))
    #expect(Set(Self.meanings.map(\.0.kind)) == Set(Failure.Kind.allCases))
  }

  @Test func pauseTargetNamesRoundTrip() {
    let names = ["all", "recovered", "intake", "spool.a.b", "storage.main", "backend.main", "late.a"]
    #expect(names.map { Pause.Target(name: $0)?.name } == names)
    for name in ["storage", "storage.", "spool.", "late.", "all.x"] {
      #expect(Pause.Target(name: name) == nil, "\(name)")
    }
  }

  /// A bucket that is missing, or a storage that is not trusted, needs no job to be found out while another one asks about it.
  @Test(arguments: [(404, true), (nil, true), (403, false), (301, false)] as [(Int?, Bool)])
  func lookSparesJobsWhileOneAsks(_ status: Int?, _ holds: Bool) {
    let failure = Failure(.destination, "words", status: status)
    let asked = Gate.Closure(reason: .question, since: .start, asker: JobNumber(rawValue: 1))
    func result(_ closure: Gate.Closure) -> AttemptResult? {
      AttemptResult(look: failure, .ask, at: Gate(.probing(closure, JobNumber(rawValue: 2))), steady: .start)
    }
    #expect((result(asked) != nil) == holds)
    #expect(result(Gate.Closure(reason: .question, since: .start)) == nil, "it has to ask itself")
  }

  /// The job that a look was for waits as it did, and costs nothing; but a name that is wrong becomes its question.
  @Test func lookForConnectionLeavesJobAsItWas() throws {
    var job = Job.sample()
    try job.take(.begin)
    try job.take(.finished(attempt: 1, .failed(Failure(.network, "refused"), .awaitNetwork)))
    let gate = Gate(.probing(Gate.Closure(reason: .network, since: .start, closedAt: .start), job.number))
    let unresolved = Failure(.network, "no such name", code: Failure.unresolvedCode)
    for later in 1...3 {
      try job.take(.due)
      try job.take(.begin)
      let result = try #require(
        AttemptResult(look: unresolved, .awaitNetwork, at: gate, steady: .start + .seconds(later)))
      try job.take(.finished(attempt: job.attempt, result))
      #expect(job.state == .awaitingNetwork && job.attempt == 1)
    }
    #expect(AttemptResult(look: unresolved, .awaitNetwork, at: gate, steady: .start + Gate.longestUnresolved) == nil)
  }

  /// After a look that met trouble that may pass, the job is held back as if it had met it. Else it goes, and its own attempt decides.
  @Test(arguments: Failure.Kind.allCases) func transientLookFailureHoldsJob(_ kind: Failure.Kind) {
    let isHeld = [.unavailable, .network, .throttled, .transient].contains(kind)
    let result = AttemptResult(look: Failure(kind, "words"), .abort, at: Gate(), steady: .start)
    if case .unanswered(let symptom)? = result {
      #expect(isHeld && symptom.look == "words")
    } else {
      #expect(!isHeld && result == nil)
    }
  }
}

import Jobs
import MessageLiterals
import Testing

/// The time that the gates' steady clock shows in these tests; the wall's is ``Timestamp/start``.
private let steady = Timestamp(seconds: 1000)

extension JobNumber {
  fileprivate static func job(_ number: Int64) -> JobNumber { JobNumber(rawValue: number) }
}

extension Gate.Symptom {
  fileprivate static func of(_ kind: Kind, retryAfter: Duration? = nil) -> Gate.Symptom {
    Gate.Symptom(kind, retryAfter: retryAfter)
  }
}

extension Gate {
  @discardableResult
  fileprivate mutating func take(_ event: Event, after: Duration = .zero) -> Change? {
    apply(event, now: .start + after, steady: steady + after)
  }

  /// How it stands, in words: state, reason, seconds until, job.
  fileprivate var words: String {
    switch state {
    case .open(let run): "open" + (run.count == 0 ? "" : " \(run.count)")
    case .closed(let closure, let until): "closed \(closure.reason) \((until - steady).components.seconds)"
    case .asking(_, let job, _): "asking \(job)"
    case .halfOpen(let closure, let probe): "half \(closure.reason) \(probe?.description ?? "any")"
    case .probing(let closure, let job): "probing \(closure.reason) \(job)"
    }
  }
}

@Suite struct GateTests {
  /// Job 1 is the one that closed the gate, asks, or probes; job 2 is another.
  private static let events: [(name: String, event: Gate.Event)] = [
    ("began", .began(.job(1))), ("succeeded", .succeeded(.job(1))), ("other succeeded", .succeeded(.job(2))),
    ("cut", .cut(.job(1))), ("other cut", .cut(.job(2))), ("time", .timePassed), ("key", .keyChanged(inFlight: [])),
    ("network", .networkChanged(inFlight: [])), ("probe", .probeWanted), ("wanted", .wanted(.job(1))),
    ("other wanted", .wanted(.job(2))),
    ("left", .left(.job(1))), ("other left", .left(.job(2))),
  ]

  private static func closure(_ reason: Gate.Reason) -> Gate.Closure { Gate.Closure(reason: reason, since: .start) }

  private static func closed(_ reason: Gate.Reason, _ wait: Int = 0) -> Gate {
    Gate(.closed(closure(reason), until: steady + .seconds(wait)))
  }

  private static func asking(_ job: JobNumber, _ wait: Int = 0) -> Gate {
    Gate(.asking(closure(.question), job, until: steady + .seconds(wait)))
  }

  private static func half(_ reason: Gate.Reason, _ probe: JobNumber? = nil) -> Gate {
    Gate(.halfOpen(closure(reason), probe: probe))
  }

  private static func probing(_ reason: Gate.Reason) -> Gate { Gate(.probing(closure(reason), .job(1))) }

  private static let askedByJob2 = Gate.Closure(reason: .question, since: .start, asker: .job(2))

  /// An open gate at which one job met a gateway's error.
  private static func failing(_ job: JobNumber) -> Gate {
    var gate = Gate()
    gate.take(.failed(job, .of(.gateway)))
    return gate
  }

  /// What is not named leaves the gate as it is.
  private static let table: [(Gate, [String: String])] = [
    (Gate(), [:]),
    (failing(.job(3)), ["succeeded": "open", "other succeeded": "open"]),
    (closed(.unavailable), ["time": "half unavailable any", "probe": "half unavailable any"]),
    (closed(.gateway), ["time": "half gateway any", "probe": "half gateway any"]),
    (closed(.throttled), ["time": "half throttled any", "probe": "half throttled any"]),
    (closed(.throttled, 1), ["probe": "half throttled any"]),
    (
      closed(.credentials),
      [
        "time": "half credentials any", "key": "half credentials any", "probe": "half credentials any",
        "wanted": "half credentials 1", "other wanted": "half credentials 2",
      ]
    ),
    (
      closed(.network),
      [
        "time": "half network any", "network": "half network any", "probe": "half network any",
        "wanted": "half network 1", "other wanted": "half network 2",
      ]
    ),
    (asking(.job(1)), ["wanted": "half question 1", "left": "half question any", "time": "half question any"]),
    (asking(.job(1), 1), ["wanted": "half question 1", "left": "half question any"]),
    (Gate(.halfOpen(askedByJob2, probe: nil)), ["began": "probing question 1", "other wanted": "half question 2"]),
    (
      Gate(.probing(askedByJob2, .job(1))),
      ["succeeded": "open", "cut": "half question 1", "left": "half question any"]
    ),
    (half(.unavailable), ["began": "probing unavailable 1"]),
    (half(.network), ["began": "probing network 1", "wanted": "half network 1", "other wanted": "half network 2"]),
    (half(.question, .job(1)), ["began": "probing question 1", "left": "half question any"]),
    (probing(.credentials), ["succeeded": "open", "cut": "half credentials 1", "left": "half credentials any"]),
  ]

  @Test(arguments: table.indices)
  func everyStateAnswersEveryEvent(_ row: Int) {
    let (before, expected) = Self.table[row]
    for (name, event) in Self.events {
      var gate = before
      let change = gate.take(event)
      #expect(gate.words == expected[name] ?? before.words, "\(before.words) on \(name)")
      #expect((change == .opened) == (before.closure != nil && gate.closure == nil), "\(before.words) on \(name)")
    }
    #expect(Set(expected.keys).isSubset(of: Self.events.map(\.name)))
  }

  /// The result of each symptom of job 1 and of job 2, in the order of ``Gate/Symptom/Kind``. A dash is: as it was.
  private static let symptoms: [(Gate, JobNumber, String)] = [
    (
      Gate(), .job(1),
      "closed unavailable 30, open 1, closed throttled 30, closed credentials 30, closed network 1, "
        + "asking 1, asking 1, -, -, -"
    ),
    (
      failing(.job(3)), .job(1),
      "closed unavailable 30, open 2, closed throttled 30, closed credentials 30, closed network 1, "
        + "asking 1, asking 1, -, open, -"
    ),
    (closed(.network, 9), .job(2), "-, -, -, -, -, asking 2, asking 2, -, -, -"),
    (asking(.job(1)), .job(2), "-, -, -, -, -, -, -, -, -, -"),
    (half(.question, .job(1)), .job(2), "-, -, -, -, -, -, -, -, -, -"),
    (
      Gate(.probing(askedByJob2, .job(1))), .job(1),
      "closed unavailable 60, asking 2, closed throttled 60, closed credentials 60, closed network 1, "
        + "asking 2, asking 2, asking 2, open, half question any"
    ),
    (half(.throttled), .job(2), "-, -, -, -, -, asking 2, asking 2, -, -, -"),
    (
      probing(.unavailable), .job(1),
      "closed unavailable 60, closed gateway 60, closed throttled 60, closed credentials 60, closed network 1, "
        + "asking 1, asking 1, closed unavailable 60, open, half unavailable any"
    ),
    (
      probing(.question), .job(1),
      "closed unavailable 60, closed gateway 60, closed throttled 60, closed credentials 60, closed network 1, "
        + "asking 1, asking 1, closed gateway 60, open, half question any"
    ),
    (probing(.unavailable), .job(2), "-, -, -, -, -, asking 2, asking 2, -, -, -"),
  ]

  @Test(arguments: symptoms.indices)
  func everyStateAnswersEverySymptom(_ row: Int) {
    let (before, job, expected) = Self.symptoms[row]
    for (kind, words) in zip(Gate.Symptom.Kind.allCases, expected.split(separator: ", ")) {
      var gate = before
      let change = gate.take(.failed(job, .of(kind)))
      #expect(gate.words == (words == "-" ? before.words : String(words)), "\(before.words) on \(kind) of \(job)")
      let isNews = gate.closure != nil && gate.closure?.reason != before.closure?.reason
      #expect((change == .closed) == isNews, "\(before.words) on \(kind) of \(job)")
    }
  }

  /// What only one job met is that job's question, as soon as one that began after it succeeds.
  @Test func answerToOneJobAloneHoldsNobody() {
    var gate = Gate()
    gate.take(.failed(.job(1), .of(.doubtful), Gate.Peers(began: .start, inFlight: 3)))
    #expect(gate.words == "asking 1")
    gate.take(.succeeded(.job(2), began: .start + .seconds(-1)))
    #expect(gate.words == "asking 1", "that one began before")
    #expect(gate.take(.succeeded(.job(3), began: .start)) == .opened)
    var confirmed = Gate()
    for job in 1...2 as ClosedRange<Int64> {
      confirmed.take(.failed(.job(job), .of(.doubtful), Gate.Peers(began: .start, inFlight: 2)))
    }
    #expect(confirmed.take(.succeeded(.job(3), began: .start)) == nil, "two jobs met it")
    // From then on odd files ask for themselves.
    for number in 4...18 {
      gate.take(.failed(.job(Int64(number)), .of(.doubtful)))
      #expect(gate.closure == nil)
    }
  }

  /// The same refusal of job after job is the destination's, whatever its code; one that each job gets in other words is not.
  @Test func sameRefusalOfManyJobsAsksOnce() {
    func refusal(_ code: String) -> Gate.Symptom {
      Gate.Symptom(of: Failure(.rejected, "HTTP 400", status: 400, code: code), .ask)
    }
    var gate = Gate()
    for number in 1...20 { gate.take(.failed(.job(Int64(number)), refusal("Of\(number)"))) }
    #expect(gate.closure == nil)
    for status in [412, 413, 415, 422] {
      let symptom = Gate.Symptom(of: Failure(.rejected, "HTTP \(status)", status: status, code: "Odd"), .ask)
      for number in 1...20 { gate.take(.failed(.job(Int64(number)), symptom)) }
    }
    #expect(gate.closure == nil, "these are about the content")
    gate = Gate()
    for number in 1...7 { gate.take(.failed(.job(Int64(number)), refusal("Odd"))) }
    gate.take(.failed(.job(7), refusal("Odd")))
    #expect(gate.words == "open 8", "the same job twice is no eighth one")
    #expect(gate.take(.failed(.job(8), refusal("Odd"))) == .closed)
    #expect(gate.words == "asking 8")
    gate.take(.timePassed, after: .seconds(1))
    gate.take(.began(.job(9)))
    gate.take(.failed(.job(9), refusal("Odd")), after: .seconds(1))
    #expect(gate.words == "asking 8" && gate.nextTry == steady + .seconds(3))
    gate.take(.timePassed, after: .seconds(3))
    gate.take(.began(.job(10)))
    #expect(gate.take(.failed(.job(10), refusal("Other"))) == .opened, "it answers another job otherwise")
  }

  @Test func honorsRetryAfterWithinLimits() {
    for (asked, seconds) in [(Duration.zero, 1), (.seconds(7), 7), (.seconds(86_400), 3600)] {
      var gate = Gate()
      gate.take(.failed(.job(1), .of(.throttled, retryAfter: asked)))
      #expect(gate.words == "closed throttled \(seconds)")
    }
    var gate = Gate()
    gate.take(.failed(.job(1), .of(.unavailable, retryAfter: .seconds(5))))
    gate.take(.failed(.job(2), .of(.unavailable, retryAfter: .seconds(3))))
    #expect(gate.words == "closed unavailable 5", "what was in flight does not shorten it")
    gate.take(.failed(.job(3), .of(.unavailable, retryAfter: .seconds(9))))
    #expect(gate.words == "closed unavailable 9", "but may lengthen it")
    gate = Gate(.probing(Gate.Closure(reason: .network, since: .start, failedProbes: 9), .job(1)))
    gate.take(.failed(.job(1), .of(.unavailable, retryAfter: .seconds(2))))
    #expect(gate.words == "closed unavailable 2", "whatever failed before")
  }

  private static func refused(_ seconds: Int?) -> Gate.Symptom {
    .of(.unavailable, retryAfter: seconds.map { .seconds($0) })
  }

  /// The pauses in seconds while each probe meets the same. A maintenance page says the same to each, and aborts one job each time.
  /// A backend that restarts is found again within an eighth of its absence and a second; what is mended, within minutes.
  private static let pauses: [(Gate.Symptom, [Int64])] = [
    (refused(nil), [30, 60, 120, 240, 480, 900, 900]),
    (refused(1), [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]),
    (refused(60), [60, 60, 120, 240, 480, 900, 900]), (refused(3600), [3600, 3600, 3600]),
    (.of(.doubtful), [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]),
    (
      Gate.Symptom(ofLook: Failure(.network, "refused"), .awaitNetwork),
      [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4]
    ),
  ]

  @Test(arguments: pauses.indices)
  func failedProbesLengthenPauseUntilSuccess(_ row: Int) throws {
    let (symptom, pauses) = Self.pauses[row]
    var (gate, now, found) = (Gate(), Duration.zero, [Int64]())
    gate.take(.failed(.job(1), symptom))
    let words = gate.words.split(separator: " ")[0]
    for number in 2...Int64(pauses.count + 1) {
      let next = try #require(gate.nextTry)
      found.append((next - (steady + now)).components.seconds)
      now = next - steady
      gate.take(.timePassed, after: now)
      gate.take(.began(.job(number)), after: now)
      #expect(gate.take(.failed(.job(number), symptom), after: now) == nil, "it was closed before")
      #expect(gate.words.hasPrefix(words) && gate.words != "asking \(number)", "nobody else is asked")
    }
    #expect(found == pauses)
    gate = Gate(.probing(try #require(gate.closure), .job(1)))
    #expect(gate.take(.succeeded(.job(1))) == .opened)
  }

  @Test func lookThatOutlivesTheQuestionLeavesItToTheNextProbe() {
    var gate = Gate()
    gate.take(.failed(.job(1), .of(.destination)))
    gate.take(.timePassed, after: .seconds(1))
    gate.take(.began(.job(2)))
    gate.take(.wanted(.job(1)))
    gate.take(.failed(.job(2), Gate.Symptom(ofLook: Failure(.destination, "certificate"), .ask)))
    #expect(gate.isHalfOpen && gate.closure?.asker == nil, "a gate asks, and nobody is asked")
  }

  @Test func forgetsEndedAttempts() {
    for end in [Gate.Event.succeeded(.job(2)), .cut(.job(2)), .failed(.job(2), .of(.transient)), .left(.job(2))] {
      var gate = Gate()
      gate.take(.networkChanged(inFlight: [.job(2)]))
      #expect(!gate.isPristine)
      gate.take(end)
      #expect(gate.isPristine, "\(end)")
    }
  }

  @Test func requestedProbeFollowsFailedProbe() {
    var gate = Gate(.probing(Self.closure(.credentials), .job(1)))
    gate.take(.wanted(.job(2)))
    gate.take(.failed(.job(1), .of(.credentials)))
    #expect(gate.words == "half credentials 2")
    gate.take(.began(.job(2)))
    gate.take(.failed(.job(2), .of(.credentials)))
    #expect(gate.words == "closed credentials 120", "once, not for good")

    gate = Gate(.probing(Self.closure(.unavailable), .job(1)))
    gate.take(.probeWanted)
    gate.take(.failed(.job(1), .of(.unavailable)))
    #expect(gate.words == "half unavailable any")

    gate = Gate(.halfOpen(Self.closure(.network), probe: .job(1)))
    gate.take(.wanted(.job(2)))
    gate.take(.began(.job(1)))
    gate.take(.failed(.job(1), .of(.network)))
    #expect(gate.words == "half network 2")
  }

  @Test func forgetsNeedlessProbeRequests() {
    for (event, end, words) in [
      (Gate.Event.wanted(.job(1)), Gate.Event.failed(.job(1), .of(.credentials)), "closed credentials 60"),
      (.wanted(.job(2)), .failed(.job(1), .of(.destination)), "asking 1"),
      (.wanted(.job(2)), .failed(.job(1), .of(.unavailable)), "closed unavailable 60"),
      (.wanted(.job(2)), .succeeded(.job(1)), "open"),
    ] {
      var gate = Gate(.probing(Self.closure(.credentials), .job(1)))
      for next in [event, end] { gate.take(next) }
      #expect(gate.words == words && gate.isPristine == (words == "open"))
    }
  }

  private static let same = Failure(.rejected, "HTTP 400 Odd", status: 400, code: "Odd")
  private static let closureOfSame = Gate.Closure(
    reason: .question, since: .start, rejection: Gate.Rejection(same))

  /// failure, the verdict by itself, the gate, what it leads to
  private static let rulings: [(Failure, Verdict, Gate, Verdict)] = [
    (Failure(.destination, "404"), .ask, Gate(), .ask),
    (Failure(.destination, "404"), .ask, asking(.job(1)), .ask),
    (Failure(.destination, "404"), .ask, asking(.job(2)), .requeue),
    (same, .ask, Gate(.asking(closureOfSame, .job(1), until: steady)), .ask),
    (same, .ask, Gate(.asking(closureOfSame, .job(2), until: steady)), .requeue),
    (same, .ask, Gate(.probing(closureOfSame, .job(2))), .requeue),
    (Failure(.rejected, "422", status: 422), .ask, Gate(.asking(closureOfSame, .job(2), until: steady)), .ask),
    (Failure(.destination, "404"), .ask, half(.question, .job(2)), .requeue),
    (Failure(.throttled, "429"), .wait(after: .seconds(30)), closed(.throttled, 60), .wait(after: .seconds(60))),
    (Failure(.throttled, "429"), .wait(after: .seconds(30)), closed(.network, 60), .wait(after: .seconds(30))),
    (Failure(.unavailable, "503"), .abort, asking(.job(2)), .abort),
    (Failure(.rejected, "422"), .ask, asking(.job(2)), .ask),
  ]

  @Test(arguments: rulings.indices)
  func gateOverridesVerdict(_ row: Int) {
    let (failure, verdict, gate, expected) = Self.rulings[row]
    #expect(gate.verdict(verdict, on: failure, of: .job(1), steady: steady) == expected)
  }

  /// A name that is misspelt never resolves; one that does not for a while is a fault of the network. The hour runs on the steady clock,
  /// through failed probes; after a restart it begins anew.
  @Test func setClockProvesNoAge() {
    let unresolved = Failure(.network, "the name of a cannot be resolved", code: Failure.unresolvedCode)
    let symptom = Gate.Symptom(of: unresolved, .awaitNetwork)
    for wall in [Timestamp.start, .start + .seconds(1 << 30), .start + (.zero - .seconds(1 << 30))] {
      var gate = Gate()
      _ = gate.apply(.failed(.job(1), symptom), now: .start, steady: steady)
      for minutes in [1, 59] {
        let time = steady + .seconds(minutes * 60)
        _ = gate.apply(.timePassed, now: wall, steady: time)
        _ = gate.apply(.began(.job(2)), now: wall, steady: time)
        #expect(gate.unresolved(unresolved, steady: time) == nil)
        _ = gate.apply(.failed(.job(2), symptom), now: wall, steady: time)
      }
      let hour = steady + Gate.longestUnresolved
      #expect(gate.unresolved(unresolved, steady: hour)?.kind == .destination)
      #expect(gate.unresolved(unresolved, steady: hour + .seconds(-1)) == nil)
      #expect(gate.unresolved(Failure(.network, "refused", code: "ECONNREFUSED"), steady: hour) == nil)
    }
    #expect(Gate().unresolved(unresolved, steady: steady + Gate.longestUnresolved) == nil)
    let restarted = Gate(.closed(Self.closure(.network), until: steady))
    #expect(restarted.unresolved(unresolved, steady: steady + Gate.longestUnresolved) == nil)
  }
}

import Foundation
import Jobs
import Testing

/// A server of a simulation, with the machine before it. Times are in seconds.
struct Server: Sendable, CustomTestStringConvertible {
  enum Jitter: Sendable { case none, uniform, exponential }

  /// The reason for which a server refuses with 503 or 429.
  enum Refusal: Sendable {
    case never
    /// It refuses what would be more than so many in flight.
    case above(Int)
    /// It allows so many a second, and as many at once (a token bucket).
    case faster(than: Double)
    /// It refuses everything between two times.
    case outage(from: Double, to: Double)
  }

  /// The reason for which a server answers 502, or does not answer in time.
  enum Failing: Sendable {
    case never
    /// It answers this share of all requests with 502, however many are in flight.
    case share(Double)
    /// It does the same, but such an answer takes this time, whatever the others take: it is a proxy's, or a time-out.
    case apart(Double, after: Double)
    /// It does not answer this share of all requests, which time out.
    case silent(Double, after: Double)
    /// It answers with 502 what would be more than so many in flight, at once.
    case above(Int)
    /// It answers everything with 502 between two times.
    case outage(from: Double, to: Double)
    /// The more are in flight beyond so many, the greater is the share of 502.
    case rising(from: Int)
    /// From a time on it works on no more than so many at once, and what takes longer than `after` counts as timed out.
    case slow(from: Double, servers: Int, after: Double)
  }

  var latency: Double
  var jitter = Jitter.none
  /// The number of requests that it works on at once; the others wait there. 0 for no bound.
  var servers = 0
  /// The work that it does for each request, in seconds of one of its processors, and how many of those all in flight share.
  var work = 0.0
  var processors = 0
  /// Every attempt is an upload of a large file, which holds half of the slots at most.
  var isLarge = false
  /// The attempts a second that this machine can do.
  var local: Double
  var refusal = Refusal.never
  var failing = Failing.never
  /// The pause that it asks for with `Retry-After`.
  var pause = 30.0
  var time = 300.0

  var testDescription: String {
    var words = "\(Int(latency * 1000)) ms \(jitter)"
    if servers > 0 { words += ", \(servers) servers" }
    if processors > 0 { words += ", \(processors) processors shared, \(Int(work * 1000)) ms each" }
    if isLarge { words += ", large files" }
    words += ", \(Int(local))/s here"
    switch refusal {
    case .never: break
    case .above(let most): words += ", 503 above \(most)"
    case .faster(let pace): words += ", 429 above \(Int(pace))/s, \(Int(pause)) s"
    case .outage(let from, let to): words += ", out for \(Int(to - from)) s"
    }
    switch failing {
    case .never: break
    case .share(let share): words += ", \(Int((share * 100).rounded())) % of 502"
    case .apart(let share, let after): words += ", \(Int((share * 100).rounded())) % of 502 in \(Int(after * 1000)) ms"
    case .silent(let share, let after): words += ", \(Int((share * 100).rounded())) % time out after \(Int(after)) s"
    case .above(let most): words += ", 502 above \(most)"
    case .outage(let from, let to): words += ", only 502 for \(Int(to - from)) s"
    case .rising(let most): words += ", more and more 502 above \(most)"
    case .slow(let from, let servers, let after):
      words += ", \(servers) servers from \(Int(from)) s on, time-outs after \(Int(after)) s"
    }
    return words
  }
}

/// Jobs without end for one server, behind the gate of a destination.
struct ServerSimulation {
  struct Outcome {
    var pace: Double
    var refusals: Int
    /// Answers such as 502, and time-outs.
    var failures: Int
    /// The mean limit of the last tenth of the time, and the lowest one after the first answers.
    var limit: Int
    var lowest = Int.max
    var most: Int
    /// The same in the second half of the time.
    var lateMost = 0
    /// The time for which the gate was not open, and the first time at which it closed.
    var held = 0.0
    var firstClosed: Double?
    /// The failures until then.
    var failuresUntilClosed = 0
  }

  private struct Attempt {
    let number: JobNumber
    let ends: Double
    let began: Double
    let ending: Ending
  }

  private enum Ending { case answered, refused, failed }

  private let side: Server
  private let fixed: Int?
  private var limit: ConcurrencyLimit
  private var chances: Chances
  private var time = 0.0
  private var now = 0.0
  private var attempts = EventQueue<Attempt>()
  /// What is worked on, by the work done for each when it is done; and the work done for each until `sharedAt`.
  private var shared: [(done: Double, attempt: Attempt)] = []
  private var doneForEach = 0.0
  private var sharedAt = 0.0
  private var localFree = 0.0
  private var serversFree: [Double]
  private var tokens = 0.0
  private var tokensAt = 0.0
  private var gate = Gate()
  private var lastNumber: Int64 = 0
  private var begun: [JobNumber: Double] = [:]
  private var lateLimits = 0.0
  private var lateTime = 0.0
  private var lastNow = 0.0
  private var outcome = Outcome(pace: 0, refusals: 0, failures: 0, limit: 0, most: 0)

  /// Simulates a fixed limit, or one that is found, with chances that follow from `seed`.
  static func run(_ side: Server, fixed: Int? = nil, time: Double? = nil, seed: UInt64 = 1) -> Outcome {
    var simulation = ServerSimulation(side, fixed: fixed, seed: seed)
    return simulation.run(time ?? side.time)
  }

  private init(_ side: Server, fixed: Int?, seed: UInt64) {
    self.side = side
    self.fixed = fixed
    limit = ConcurrencyLimit(now: Self.timestamp(0))
    chances = Chances(seed: seed)
    serversFree = Array(repeating: 0, count: side.servers)
    if case .faster(let pace) = side.refusal { tokens = pace }
  }

  private mutating func run(_ time: Double) -> Outcome {
    self.time = time
    var done = 0
    while now < time {
      let found = fixed ?? limit.limit
      let slots = side.isLarge ? max(1, found / 2) : found
      begin(upTo: slots)
      if !isOpen { outcome.held += now - lastNow }
      if now > time * 0.9 {
        lateLimits += Double(found) * (now - lastNow)
        lateTime += now - lastNow
      }
      lastNow = now
      if fixed == nil {
        let isHeld = gate.closure?.reason == .gateway
        limit.committed(isWaiting: isOpen, inFlight: inFlight, isHeld: isHeld, now: Self.timestamp(now))
      }
      let nextShared = self.nextShared
      let next = min(attempts.next ?? .infinity, nextShared ?? .infinity)
      if let until = gate.until.map(Self.seconds), until <= next {
        now = until
        tellGate(.timePassed)
        continue
      }
      if let at = nextShared, at == next {
        now = at
        share()
        var first = 0
        for index in shared.indices where shared[index].done < shared[first].done { first = index }
        let ready = shared.remove(at: first).attempt
        let ends = max(now, ready.ends)
        attempts.push(Attempt(number: ready.number, ends: ends, began: ready.began, ending: ready.ending), at: ends)
        continue
      }
      guard let attempt = attempts.pop()?.event else { break }
      now = attempt.ends
      begun[attempt.number] = nil
      let began = Self.timestamp(attempt.began)
      let duration = Duration.microseconds(Int64((now - attempt.began) * 1e6))
      if fixed == nil, now > time / 10 { outcome.lowest = min(outcome.lowest, limit.limit) }
      switch attempt.ending {
      case .answered:
        done += 1
        tellGate(.succeeded(attempt.number, began: began))
        tell(.answered, after: duration)
      case .refused:
        outcome.refusals += 1
        tellGate(.failed(attempt.number, Gate.Symptom(.throttled, retryAfter: .seconds(side.pause))))
        tell(.refused, after: duration)
      case .failed:
        outcome.failures += 1
        let overtaken = begun.values.count { $0 < attempt.began }
        let peers = Gate.Peers(began: began, inFlight: inFlight + 1, overtaken: overtaken)
        tellGate(.failed(attempt.number, Gate.Symptom(.gateway), peers))
        tell(.failed, after: duration)
      }
    }
    outcome.pace = Double(done) / now
    outcome.limit = lateTime > 0 ? Int((lateLimits / lateTime).rounded()) : limit.limit
    return outcome
  }

  private var inFlight: Int { attempts.count + shared.count }

  private mutating func tell(_ end: ConcurrencyLimit.End, after duration: Duration) {
    guard fixed == nil else { return }
    let size: Int64? = side.isLarge ? 20 << 20 : nil
    limit.ended(ConcurrencyLimit.Ended(end, after: duration, size: size), now: Self.timestamp(now))
  }

  /// Brings the work that is done for each up to now.
  private mutating func share() {
    if !shared.isEmpty { doneForEach += (now - sharedAt) * min(1, Double(side.processors) / Double(shared.count)) }
    sharedAt = now
  }

  private var nextShared: Double? {
    guard let least = shared.map(\.done).min() else { return nil }
    return sharedAt + max(0, least - doneForEach) / min(1, Double(side.processors) / Double(shared.count))
  }

  private var isOpen: Bool { gate.closure == nil }

  private var isHalfOpen: Bool { if case .halfOpen = gate.state { true } else { false } }

  private mutating func tellGate(_ event: Gate.Event) {
    let change = gate.apply(event, now: Self.timestamp(now), steady: Self.timestamp(now))
    guard change == .closed, outcome.firstClosed == nil else { return }
    (outcome.firstClosed, outcome.failuresUntilClosed) = (now, outcome.failures)
  }

  private mutating func begin(upTo slots: Int) {
    while inFlight < slots {
      guard isOpen || isHalfOpen else { return }
      let attempt = attempt()
      if !isOpen { tellGate(.began(attempt.number)) }
      enter(attempt)
      outcome.most = max(outcome.most, inFlight)
      if now > time / 2 { outcome.lateMost = max(outcome.lateMost, inFlight) }
    }
  }

  private mutating func enter(_ attempt: Attempt) {
    guard side.processors > 0, attempt.ending == .answered else { return attempts.push(attempt, at: attempt.ends) }
    share()
    shared.append((doneForEach + side.work * -log(1 - chances.next()), attempt))
  }

  private mutating func attempt() -> Attempt {
    lastNumber += 1
    let number = JobNumber(rawValue: lastNumber)
    begun[number] = now
    let start = max(now, localFree)
    localFree = start + 1 / side.local
    guard accepts(at: start) else {
      return Attempt(number: number, ends: start + min(0.01, side.latency), began: now, ending: .refused)
    }
    if case .above(let most) = side.failing, inFlight >= most {
      return Attempt(number: number, ends: start + min(0.01, side.latency), began: now, ending: .failed)
    }
    switch side.failing {
    case .silent(let share, let after), .apart(let share, let after):
      if chances.next() < share {
        return Attempt(number: number, ends: start + after, began: now, ending: .failed)
      }
    case .never, .share, .above, .outage, .rising, .slow: break
    }
    let duration = chances.duration(of: side.latency, side.jitter)
    var ends = start + duration
    if side.servers > 0 {
      var servers = side.servers
      if case .slow(let from, let fewer, _) = side.failing, start >= from { servers = fewer }
      var first = 0
      for index in 0..<servers where serversFree[index] < serversFree[first] { first = index }
      ends = max(start, serversFree[first]) + duration
      serversFree[first] = ends
    }
    if case .slow(_, _, let after) = side.failing, ends > start + after {
      return Attempt(number: number, ends: start + after, began: now, ending: .failed)
    }
    return Attempt(number: number, ends: ends, began: now, ending: fails(at: start) ? .failed : .answered)
  }

  private mutating func fails(at time: Double) -> Bool {
    switch side.failing {
    case .never, .above, .slow, .silent, .apart: false
    case .share(let share): chances.next() < share
    case .outage(let from, let to): (from..<to).contains(time)
    case .rising(let most): chances.next() < Double(inFlight - most) / Double(inFlight + 1)
    }
  }

  private mutating func accepts(at time: Double) -> Bool {
    switch side.refusal {
    case .never: return true
    case .above(let most): return inFlight < most
    case .outage(let from, let to): return !(from..<to).contains(time)
    case .faster(let pace):
      tokens = min(pace, tokens + (time - tokensAt) * pace)
      tokensAt = time
      guard tokens >= 1 else { return false }
      tokens -= 1
      return true
    }
  }

  private static func seconds(_ time: Timestamp) -> Double { Double(time.microseconds) / 1e6 }

  private static func timestamp(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Int64((seconds * 1e6).rounded()))
  }
}

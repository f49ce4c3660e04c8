import Jobs
import Testing

/// Many files at once for a storage and a backend, and the machine that sends them. Times are in seconds.
struct Burst: Sendable, CustomTestStringConvertible {
  var jobs = 10_000
  /// The time until a server answers.
  var latency: Double
  var jitter = Server.Jitter.none
  /// The round trips before the first request on a new connection.
  var roundTrips = 0.0
  /// The number of requests that the backend works on at once; the others wait there. 0 for no bound.
  var backends = 0
  /// The factor of the time that each server takes for its first answers.
  var coldness = 1.0
  /// The time of a commit, apart from what is in it.
  var commit = 0.002
  /// The factor of all times of the machine.
  var slowness = 1.0

  var testDescription: String {
    var words = "\(Int(latency * 1000)) ms \(jitter), commits of \(Int(commit * 1000)) ms"
    if roundTrips > 0 { words += ", \(Int(roundTrips)) round trips to connect" }
    if coldness != 1 { words += ", \(Int(coldness)) times slower at first" }
    if backends > 0 { words += ", \(backends) backends" }
    if slowness != 1 { words += ", \(slowness) times slower" }
    return words
  }
}

/// A burst on its way through both steps: what is admitted, begun and ended is known from the next commit on, and one thread sends all
/// requests and reads all answers. The parts and their times are those of the daemon, roughly; profiles of it gave them.
struct BurstSimulation {
  struct Outcome {
    var pace: Double
    /// The highest limit of storage and backend.
    var highest: [Int]
  }

  private enum Event {
    case claimed(Int)
    case answered(Attempt)
    case ended(Attempt)
    case commitBegins
    case commitEnds([Entry])
  }

  /// An attempt: its step, and the time from which its slot is held, which is the end of the attempt before.
  private struct Attempt {
    var step: Int
    var began: Double
  }

  private enum Entry {
    case admitted(Int)
    case ended(Attempt, at: Double)
    /// Jobs are begun in slots that are free.
    case begun
  }

  private let burst: Burst
  private let fixed: Int?
  private var limits: [ConcurrencyLimit]
  private var chances: Chances
  private var now = 0.0
  private var events = EventQueue<Event>()
  private var queued = [0, 0]
  private var inFlight = [0, 0]
  private var connections = [0, 0]
  private var sends = [0, 0]
  private var backendsFree: [Double]
  private var claimed = 0
  private var registered = 0
  /// The time from which the thread of the requests is free.
  private var threadFree = 0.0
  private var entries: [Entry] = []
  private var commits = false
  private var lastCommit = 0.001
  private var outcome = Outcome(pace: 0, highest: [0, 0])

  /// Simulates a fixed limit of each step, or limits that are found, with chances that follow from `seed`.
  static func run(_ burst: Burst, fixed: Int? = nil, seed: UInt64 = 1) -> Outcome {
    var simulation = BurstSimulation(burst, fixed: fixed, seed: seed)
    return simulation.run()
  }

  private init(_ burst: Burst, fixed: Int?, seed: UInt64) {
    self.burst = burst
    self.fixed = fixed
    limits = Array(repeating: ConcurrencyLimit(now: Timestamp(microseconds: 0)), count: 2)
    chances = Chances(seed: seed)
    backendsFree = Array(repeating: 0, count: burst.backends)
  }

  private mutating func run() -> Outcome {
    claim()
    while registered < burst.jobs, let next = events.pop() {
      now = next.at
      switch next.event {
      case .claimed(let count): add(.admitted(count))
      case .answered(let attempt): events.push(.ended(attempt), at: worked(Self.perRequest))
      case .ended(let attempt):
        if fixed == nil {
          let duration = Duration.microseconds(Int64((now - attempt.began) * 1e6))
          limits[attempt.step].ended(.init(.answered, after: duration), now: time)
          outcome.highest[attempt.step] = max(outcome.highest[attempt.step], limit(attempt.step))
        }
        add(.ended(attempt, at: now))
      case .commitBegins:
        lastCommit = entries.reduce(burst.commit) { $0 + Self.time(of: $1) * burst.slowness }
        events.push(.commitEnds(entries), at: now + lastCommit)
        entries = []
      case .commitEnds(let entries): end(entries)
      }
    }
    outcome.pace = Double(burst.jobs) / now
    return outcome
  }

  private var time: Timestamp { Timestamp(microseconds: Int64(now * 1e6)) }

  private func limit(_ step: Int) -> Int { fixed ?? limits[step].limit }

  /// Lets the thread of the requests work, and returns the time at which that is done.
  private mutating func worked(_ time: Double) -> Double {
    threadFree = max(threadFree, now) + time * burst.slowness
    return threadFree
  }

  private mutating func claim() {
    let count = min(Self.batch, burst.jobs - claimed)
    guard count > 0 else { return }
    claimed += count
    events.push(.claimed(count), at: now + Double(count) * Self.perClaim * burst.slowness)
  }

  private mutating func add(_ entry: Entry) {
    entries.append(entry)
    commit()
  }

  /// Begins a commit, unless one is under way. With many in flight it waits for more of them, as long as two commits take.
  private mutating func commit() {
    guard !commits, !entries.isEmpty else { return }
    commits = true
    let all = inFlight[0] + inFlight[1]
    let gathers = all >= 8 && entries.count < all * 3 / 5
    events.push(.commitBegins, at: now + (gathers ? min(0.005, 2 * lastCommit) : 0))
  }

  private static func time(of entry: Entry) -> Double {
    switch entry {
    case .admitted(let count): Double(count) * perAdmission
    case .ended: perEnd
    case .begun: perBegin
    }
  }

  private mutating func end(_ entries: [Entry]) {
    commits = false
    var begun: [Attempt] = []
    for entry in entries {
      switch entry {
      case .admitted(let count):
        queued[0] += count
        claim()
        while canBegin(0) { begun.append(begin(0, since: now)) }
      case .ended(let attempt, let end):
        inFlight[attempt.step] -= 1
        if attempt.step == 0 { queued[1] += 1 } else { registered += 1 }
        // A slot goes on with the next step of its job, else with any.
        if let step = attempt.step == 0 && canBegin(1) ? 1 : next { begun.append(begin(step, since: end)) }
      case .begun: while let step = next { begun.append(begin(step, since: now)) }
      }
    }
    if fixed == nil {
      for step in 0...1 { limits[step].committed(isWaiting: queued[step] > 0, inFlight: inFlight[step], now: time) }
    }
    for attempt in begun { send(attempt) }
    if next != nil { self.entries.append(.begun) }
    commit()
  }

  private func canBegin(_ step: Int) -> Bool { queued[step] > 0 && inFlight[step] < limit(step) }

  /// The step at which one can begin, that with the fewest in flight.
  private var next: Int? {
    [1, 0].filter { canBegin($0) }.min { inFlight[$0] < inFlight[$1] }
  }

  private mutating func begin(_ step: Int, since began: Double) -> Attempt {
    queued[step] -= 1
    inFlight[step] += 1
    return Attempt(step: step, began: began)
  }

  private mutating func send(_ attempt: Attempt) {
    var sent = worked(Self.perRequest)
    if connections[attempt.step] < inFlight[attempt.step] {
      connections[attempt.step] += 1
      sent += burst.roundTrips * burst.latency
    }
    var duration = chances.duration(of: burst.latency, burst.jitter)
    sends[attempt.step] += 1
    if sends[attempt.step] <= ConcurrencyLimit.start { duration *= burst.coldness }
    if attempt.step == 1, let first = backendsFree.indices.min(by: { backendsFree[$0] < backendsFree[$1] }) {
      sent = max(sent, backendsFree[first])
      backendsFree[first] = sent + duration
    }
    events.push(.answered(attempt), at: sent + duration)
  }

  /// The most files of one admission.
  private static let batch = 256
  private static let perClaim = 58e-6
  private static let perAdmission = 70e-6
  private static let perRequest = 60e-6
  private static let perEnd = 45e-6
  private static let perBegin = 200e-6
}

import HTTPTypes
import HummingbirdCore

/// The requests that the sandbox saw, and the faults in force: everything that a test asks about while the sandbox runs.
actor Observations {
  struct Recorded: Sendable, Encodable {
    var number: Int
    var kind: String
    var method: String
    var target: String
    var authorization: String?
    var amzDate: String?
    /// The status that was sent; null if the connection was cut or the answer is not sent yet.
    var status: Int?

    enum CodingKeys: String, CodingKey {
      case number, kind, method, target, authorization, status
      case amzDate = "x_amz_date"
    }
  }

  struct Counts: Sendable, Encodable {
    var requests: [String: Int] = [:]
    /// The requests by kind and by their answer: a status in digits, or `cut`.
    var answers: [String: [String: Int]] = [:]
    var inFlight: [String: Int] = [:]
    /// The largest number that were being answered at one time.
    var peak: [String: Int] = [:]
    /// The number of times that each part came, by the path of its object and by its number.
    var parts: [String: [String: Int]] = [:]

    enum CodingKeys: String, CodingKey {
      case requests, answers, peak, parts
      case inFlight = "in_flight"
    }
  }

  /// The number of requests that are remembered in full: the last ones.
  static let remembered = 200

  private(set) var faults = FaultPlan()
  private var changes = 0
  private(set) var counts = Counts()
  private(set) var recorded: [Recorded] = []
  private var total = 0
  private var held: [CheckedContinuation<Void, Never>] = []
  /// Those who wait for a number of requests of a kind, by their tickets.
  private var waiting: [Int: (kind: RequestKind, count: Int, continuation: CheckedContinuation<Void, Never>)] = [:]
  private var tickets = 0

  /// Changes the faults in force, and lets the requests go on that are held.
  func change(_ change: @Sendable (inout FaultPlan) -> Void) {
    change(&faults)
    changes += 1
    for continuation in held { continuation.resume() }
    held = []
  }

  /// Waits until the faults are changed, unless they were since `begin` said so.
  func hold(since plan: Int) async {
    await withCheckedContinuation { continuation in
      if changes == plan { held.append(continuation) } else { continuation.resume() }
    }
  }

  /// Waits until so many requests of a kind have come since the start, or the time has passed.
  /// - Returns: how many have come.
  func wait(for kind: RequestKind, count: Int, within limit: Duration) async -> Int {
    if counts.requests[kind.rawValue, default: 0] < count, limit > .zero {
      tickets += 1
      let ticket = tickets
      let alarm = Task {
        // Ignored: it is only cut where nobody waits for it any more.
        try? await Task.sleep(for: limit)
        waiting.removeValue(forKey: ticket)?.continuation.resume()
      }
      await withCheckedContinuation { waiting[ticket] = (kind, count, $0) }
      alarm.cancel()
    }
    return counts.requests[kind.rawValue, default: 0]
  }

  /// Records a request, and takes the effect on it and the number of the plan that it is from. `part` is the target of the PUT
  /// of a part.
  func begin(
    _ request: HTTPRequest, _ kind: RequestKind, part: ObjectTarget?
  ) -> (number: Int, effect: Effect, plan: Int) {
    total += 1
    let headers = request.headerFields
    recorded.append(
      Recorded(
        number: total, kind: kind.rawValue, method: request.method.rawValue, target: request.path ?? "",
        authorization: headers["authorization"], amzDate: headers["x-amz-date"]))
    if recorded.count > Self.remembered { recorded.removeFirst(recorded.count - Self.remembered) }
    counts.requests[kind.rawValue, default: 0] += 1
    let come = counts.requests[kind.rawValue, default: 0]
    for (ticket, wait) in waiting where wait.kind == kind && wait.count <= come {
      waiting[ticket] = nil
      wait.continuation.resume()
    }
    if let part { counts.parts[part.key, default: [:]][part["partNumber"] ?? "", default: 0] += 1 }
    let inFlight = counts.inFlight[kind.rawValue, default: 0] + 1
    counts.inFlight[kind.rawValue] = inFlight
    counts.peak[kind.rawValue] = max(counts.peak[kind.rawValue, default: 0], inFlight)
    return (total, faults.nextEffect(on: kind), changes)
  }

  func end(_ number: Int, _ kind: RequestKind, status: Int?, cut: Fault.Cut?) {
    counts.inFlight[kind.rawValue, default: 1] -= 1
    counts.answers[kind.rawValue, default: [:]][cut == nil ? String(status ?? 0) : "cut", default: 0] += 1
    guard let index = recorded.firstIndex(where: { $0.number == number }) else { return }
    recorded[index].status = cut == nil ? status : nil
  }
}

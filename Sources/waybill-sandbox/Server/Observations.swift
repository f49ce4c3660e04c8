import FoundationEssentials
import HTTPTypes
import Hummingbird

/// What the sandbox saw, and which faults are in force: all that a test asks about while the sandbox runs.
actor Observations {
  /// One request as it came and how it ended.
  struct Recorded: Sendable, Encodable {
    var number: Int
    var at: String
    var kind: String
    var method: String
    var target: String
    var authorization: String?
    var amzDate: String?
    var contentSHA256: String?
    var idempotencyKey: String?
    var contentLength: String?
    /// The status that was sent, or null where the connection was cut or the answer is still to come.
    var status: Int?
    /// The cut, where there was one.
    var cut: String?

    enum CodingKeys: String, CodingKey {
      case number, at, kind, method, target, authorization, status, cut
      case amzDate = "x_amz_date"
      case contentSHA256 = "x_amz_content_sha256"
      case idempotencyKey = "idempotency_key"
      case contentLength = "content_length"
    }
  }

  /// Counts by kind of request.
  struct Counts: Sendable, Encodable {
    /// Requests that came.
    var requests: [String: Int] = [:]
    /// Requests by kind and by what they got: a status in digits, or `cut`.
    var answers: [String: [String: Int]] = [:]
    /// Requests that are being answered now.
    var inFlight: [String: Int] = [:]
    /// The most that were being answered at one time.
    var peak: [String: Int] = [:]
    /// How often each part came, by the path of its object and by its number.
    var parts: [String: [String: Int]] = [:]

    enum CodingKeys: String, CodingKey {
      case requests, answers, peak, parts
      case inFlight = "in_flight"
    }
  }

  /// How many requests are remembered in full: the last ones.
  static let remembered = 200

  private(set) var faults: FaultPlan
  private(set) var counts = Counts()
  private(set) var recorded: [Recorded] = []
  private var total = 0

  init(faults: FaultPlan) { self.faults = faults }

  /// Changes the faults in force.
  func change(_ change: @Sendable (inout FaultPlan) -> Void) { change(&faults) }

  /// Notes a request, and takes what it is to meet. `part` is what the PUT of a part is for.
  func begin(
    _ request: HTTPRequest, _ kind: RequestKind, part: ObjectTarget?, now: Date
  ) -> (number: Int, effect: Effect) {
    total += 1
    let headers = request.headerFields
    recorded.append(
      Recorded(
        number: total, at: BasicTime.extended(now), kind: kind.rawValue, method: request.method.rawValue,
        target: request.path ?? "", authorization: headers["authorization"], amzDate: headers["x-amz-date"],
        contentSHA256: headers["x-amz-content-sha256"], idempotencyKey: headers["idempotency-key"],
        contentLength: headers["content-length"]))
    if recorded.count > Self.remembered { recorded.removeFirst(recorded.count - Self.remembered) }
    counts.requests[kind.rawValue, default: 0] += 1
    if let part { counts.parts[part.key, default: [:]][part["partNumber"] ?? "", default: 0] += 1 }
    let inFlight = counts.inFlight[kind.rawValue, default: 0] + 1
    counts.inFlight[kind.rawValue] = inFlight
    counts.peak[kind.rawValue] = max(counts.peak[kind.rawValue, default: 0], inFlight)
    return (total, faults.take(kind))
  }

  /// Notes how a request ended: with a status, or cut.
  func end(_ number: Int, _ kind: RequestKind, status: Int?, cut: Fault.Cut?) {
    counts.inFlight[kind.rawValue, default: 1] -= 1
    counts.answers[kind.rawValue, default: [:]][cut == nil ? String(status ?? 0) : "cut", default: 0] += 1
    guard let index = recorded.firstIndex(where: { $0.number == number }) else { return }
    recorded[index].status = cut == nil ? status : nil
    recorded[index].cut = cut?.rawValue
  }
}

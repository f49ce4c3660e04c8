import HTTPTypes

/// The false answer that one kind of request gets, and its duration.
///
/// `PUT /_admin/faults` writes it, and `GET /_admin/state` shows it.
struct Fault: Sendable, Equatable, Codable {
  enum Cut: String, Sendable, Codable {
    /// Nothing is done and no answer is sent.
    case before
    /// The request takes effect; the answer is never sent.
    case after
    /// The request takes effect; half of the answer is sent.
    case mid
  }

  /// The effect on one request of a sequence.
  enum Step: Sendable, Equatable {
    /// A status; 200 and 201 mean that the sandbox behaves normally.
    case status(Int)
    /// A cut connection; written `cut-before`, `cut-after`, `cut-mid`.
    case cut(Cut)
  }

  /// One step per request, until they are used up.
  var statuses: [Step]?
  var status: Int?
  /// Cuts every connection, until the fault is removed.
  var cut: Cut?
  var latency: Int?
  /// True if requests wait until the faults are changed, by `PUT` or `DELETE /_admin/faults`.
  var hold: Bool?
  /// The seconds for the header `Retry-After`.
  var retryAfter: Int?
  /// S3's `Code`, or the `title` of the backend's problem, instead of the one that belongs to the status.
  var code: String?
  var message: String?
  /// A whole body instead of the XML or JSON that would be made.
  var body: String?
  /// More headers of the answer, such as `Location`.
  var headers: [String: String]?
  /// The number of requests after which the whole fault ends.
  var times: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case statuses, status, cut, hold, code, message, body, headers, times
    case latency = "latency_ms"
    case retryAfter = "retry_after"
  }

  /// Returns the effect on the next request. Uses up one step of a sequence.
  mutating func next() -> Effect {
    var effect = Effect(
      latency: .milliseconds(latency ?? 0), holds: hold == true, status: status, cut: cut, retryAfter: retryAfter,
      code: code, message: message, body: body, headers: headers ?? [:])
    // A lasting 200 or 201 changes nothing by itself, but may carry S3's <Error> in a 200 or a body that is no answer.
    if status == 200 || status == 201, code == nil, body == nil { effect.status = nil }
    if let step = statuses?.first {
      statuses?.removeFirst()
      switch step {
      case .status(200), .status(201): effect.status = nil
      case .status(let status): effect.status = status
      case .cut(let cut): effect.cut = cut
      }
    }
    if let times { self.times = times - 1 }
    return effect
  }

  /// True if nothing is left to go wrong.
  var isSpent: Bool {
    if let times, times <= 0 { return true }
    return (statuses ?? []).isEmpty && status == nil && cut == nil && latency == nil && hold != true
  }
}

/// The effect of a fault on one request.
struct Effect: Sendable, Equatable {
  /// The time to wait first.
  var latency: Duration = .zero
  /// True if the request waits until the faults are changed.
  var holds = false
  /// The status to answer with, without acting; nil if the sandbox behaves normally.
  var status: Int?
  var cut: Fault.Cut?
  var retryAfter: Int?
  var code: String?
  var message: String?
  var body: String?
  var headers: [String: String] = [:]
}

import FoundationEssentials
import HTTPTypes

/// What one kind of request is to be answered with instead of the truth, and for how long.
///
/// The same shape is written by `--fault` and by `PUT /_admin/faults`, and shown by `GET /_admin/state`.
struct Fault: Sendable, Equatable {
  /// Where the connection is cut.
  enum Cut: String, Sendable, Codable {
    /// Nothing is done and nothing answered.
    case before
    /// The request takes effect; the answer is never sent.
    case after
    /// The request takes effect; half of the answer is sent.
    case mid
  }

  /// What one request of a sequence meets.
  enum Step: Sendable, Equatable {
    /// A status; 200 and 201 mean that the sandbox behaves.
    case status(Int)
    /// A cut connection; written `cut-before`, `cut-after`, `cut-mid`.
    case cut(Cut)
  }

  /// One per request, until they are used up.
  var statuses: [Step] = []
  /// The answer to every request, until the fault is taken away.
  var status: Int?
  /// Cuts every connection, until the fault is taken away.
  var cut: Cut?
  /// Milliseconds to wait before anything is done.
  var latency: Int?
  /// Seconds for the header `Retry-After`.
  var retryAfter: Int?
  /// S3's `Code`, or the `title` of the backend's problem, in place of the one that goes with the status.
  var code: String?
  /// The message in words.
  var message: String?
  /// A whole body in place of the XML or JSON that would be made.
  var body: String?
  /// Further headers of the answer, such as `Location`.
  var headers: [String: String] = [:]
  /// After so many requests the whole fault ends.
  var times: Int?

  /// What the next request meets. Uses up one step of a sequence.
  mutating func next() -> Effect {
    var effect = Effect(
      latency: .milliseconds(latency ?? 0), status: status, cut: cut, retryAfter: retryAfter, code: code,
      message: message, body: body, headers: headers)
    // A lasting 200 or 201 says nothing by itself, but may carry S3's <Error> in a 200 or a body that is no answer.
    if status == 200 || status == 201, code == nil, body == nil { effect.status = nil }
    if !statuses.isEmpty {
      switch statuses.removeFirst() {
      case .status(200), .status(201): effect.status = nil
      case .status(let status): effect.status = status
      case .cut(let cut): effect.cut = cut
      }
    }
    if let times { self.times = times - 1 }
    return effect
  }

  /// Whether nothing is left to go wrong.
  var isSpent: Bool {
    if let times, times <= 0 { return true }
    return statuses.isEmpty && status == nil && cut == nil && latency == nil
  }
}

/// What one request meets.
struct Effect: Sendable, Equatable {
  /// How long to wait first.
  var latency: Duration = .zero
  /// The status to answer with, without acting; nil where the sandbox behaves.
  var status: Int?
  /// Where the connection is cut.
  var cut: Fault.Cut?
  var retryAfter: Int?
  var code: String?
  var message: String?
  var body: String?
  var headers: [String: String] = [:]
}

import HTTPTransfer

/// The pace at which a daemon asks a server that refuses everything. One that asks without end is in a hot loop.
package struct OutagePace: Codable, Hashable, Sendable {
  private struct Outage: Codable, Hashable {
    /// The time of the first refusal since the last success.
    var since: Duration
    var minute: Int64 = 0
    var count = 0
  }

  private var outages = SortedTable<Outage>()
  /// What was too much, in words; nil if nothing was.
  package private(set) var fault: String?

  /// The most refusals in a minute. A gate lets one probe go after the other, each with a few requests, and people may ask for more.
  private static let most = 40
  /// The time in which what was in flight at the beginning ends.
  private static let beginning = Duration.seconds(120)

  package init() {}

  /// Takes note of an answer.
  /// - Parameter isRefusal: true if it says that the server is of no use now, to whatever job; false if it is; nil if it says
  ///   nothing about that.
  package mutating func heard(_ host: String, isRefusal: Bool?, at now: Duration) {
    guard let isRefusal else { return }
    guard isRefusal else {
      outages[host] = nil
      return
    }
    var outage = outages[host] ?? Outage(since: now)
    let minute = (now - outage.since - Self.beginning).components.seconds / 60
    if minute != outage.minute { (outage.minute, outage.count) = (minute, 0) }
    if now - outage.since >= Self.beginning { outage.count += 1 }
    outages[host] = outage
    if outage.count > Self.most, fault == nil {
      fault =
        "\(host) has refused everything since \(outage.since), and was asked \(outage.count) times in a minute before \(now)"
    }
  }
}

extension Passage.Outcome {
  /// True if the answer says that the server is of no use now, to whatever job; false if it is; nil if it says nothing about that.
  /// - Parameter answer: the answer of the server itself.
  package func isRefusal(_ answer: FarAnswer?) -> Bool? {
    switch self {
    case .answer: answer?.isRefusal
    case .instead(let other, _): other.isRefusal == true ? true : nil
    case .failure(let trouble, _): Self.ofNetwork.contains(trouble.kind) ? true : nil
    case .silence: nil
    }
  }

  private static let ofNetwork = [TransferError.Kind.connect, .resolve].map(\.rawValue)
}

extension FarAnswer {
  fileprivate var isRefusal: Bool? {
    switch status {
    case 401, 429, 500, 502, 503, 504: true
    // A slow request; a refused key, or a refused job.
    case 403, 408: nil
    default: false
    }
  }
}

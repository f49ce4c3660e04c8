/// The slots for attempts in flight at all destinations: a fixed number, or a limit for each that follows how it answers.
public struct Slots: Sendable {
  package private(set) var lanes: Lanes
  /// The most slots of all destinations together, if limits are measured.
  private let most: Int
  /// The most slots that there are descriptors for; it also bounds a fixed number.
  private let descriptors: Int
  /// The limits in the order of the destinations; empty with a fixed number.
  private var limits: [ConcurrencyLimit] = []

  /// Creates the slots of a configuration.
  /// - Parameters:
  ///   - memory: the number of slots that memory has room for; it bounds the limits that are measured, not a fixed number.
  ///   - descriptors: the number of slots that there are descriptors for; it bounds both.
  ///   - now: the time on the steady clock, as in all functions.
  public init(
    _ concurrency: Concurrency, destinations: [Destination], memory: Int, descriptors: Int = .max, now: Timestamp
  ) {
    lanes = .none
    most = min(memory, descriptors)
    self.descriptors = descriptors
    configure(concurrency, destinations: destinations, now: now)
  }

  /// Returns the number of slots that memory has room for: they may use a quarter of it.
  ///
  /// A request over TLS takes some 150 KiB: libcurl's buffers, the TLS library's, and the job. Four times that leaves room
  /// for the kernel's buffers and for parts of files.
  /// - Parameter memory: the bytes that the process may use; nil if that is not known.
  public static func fitting(_ memory: Int64?) -> Int {
    guard let memory else { return 2 * ConcurrencyLimit.highest }
    return min(1024, max(ConcurrencyLimit.start, Int(clamping: memory / 4 / (600 << 10))))
  }

  /// Changes the setting and the destinations. A destination that stays keeps its measured limit.
  public mutating func configure(_ concurrency: Concurrency, destinations: [Destination], now: Timestamp) {
    guard concurrency == .auto else {
      limits = []
      if case .fixed(let slots) = concurrency {
        lanes = Lanes(concurrency: min(slots, descriptors), destinations: destinations)
      }
      return
    }
    limits = destinations.map { limit(at: $0) ?? ConcurrencyLimit(most: most, now: now) }
    lanes = Lanes(limits: limits.map(\.limit), most: most, destinations: destinations)
  }

  /// The limit of a destination by itself; nil with a fixed number.
  public func limit(at destination: Destination) -> ConcurrencyLimit? {
    guard !limits.isEmpty, let index = lanes.all.index(of: destination) else { return nil }
    return limits[index]
  }

  /// True if the limit of each destination is measured.
  public var isAdaptive: Bool { !limits.isEmpty }

  /// Records the end of an attempt. With a fixed number, nothing changes.
  /// - Parameters:
  ///   - duration: the time for which the attempt held its slot.
  ///   - isHeld: true if its requests may have waited for a limit of requests a second.
  public mutating func ended(
    _ result: AttemptResult, of job: Job, after duration: Duration, isHeld: Bool = false, now: Timestamp
  ) {
    guard !limits.isEmpty, let index = lanes.all.index(of: job.destination) else { return }
    guard let end = result.endForConcurrency else { return }
    let before = limits[index].limit
    let size = job.isLargeUpload ? job.identity.size : nil
    limits[index].ended(ConcurrencyLimit.Ended(end, after: duration, size: size, isHeld: isHeld), now: now)
    if limits[index].limit != before { renew() }
  }

  /// Records a commit.
  /// - Parameters:
  ///   - held: the destinations with a gate that failures have closed.
  ///   - canStart: true if something could begin at a destination if a slot were free there.
  public mutating func committed(
    _ inFlight: SlotUse, held: Set<Destination> = [], now: Timestamp, canStart: (Destination) -> Bool
  ) {
    for index in limits.indices {
      let before = limits[index].limit
      let destination = lanes.destinations[index]
      limits[index].committed(
        isWaiting: canStart(destination), inFlight: inFlight[destination], isHeld: held.contains(destination), now: now)
      if limits[index].limit != before { renew() }
    }
  }

  private mutating func renew() {
    lanes = Lanes(limits: limits.map(\.limit), most: most, destinations: lanes.destinations)
  }
}

extension AttemptResult {
  /// The end of the attempt for a limit, from its meaning for the gate; nil if the server had no part in it, or nothing can be sent
  /// now.
  fileprivate var endForConcurrency: ConcurrencyLimit.End? {
    switch self {
    case .uploaded, .registered: return .answered
    case .cut, .unanswered, .recognized: return nil
    case .failed(let failure, _) where failure.grantor != nil: return nil
    case .failed(let failure, let verdict), .changed(let failure, let verdict, _):
      switch Gate.Symptom(of: failure, verdict).kind {
      case .unavailable, .throttled: return .refused
      case .gateway: return .failed
      case .answered: return .answered
      case .credentials, .network, .destination, .doubtful, .transient, .local: return nil
      }
    }
  }
}

/// The setting `concurrency`: the number of attempts that may be in flight at once.
public enum Concurrency: Hashable, Sendable {
  /// A limit for each destination, measured from its answers: see ``ConcurrencyLimit``.
  case auto
  /// A number for all destinations together.
  case fixed(Int)
}

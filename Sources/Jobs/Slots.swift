/// The slots for attempts in flight at all destinations: a fixed number, or a limit for each that follows how it answers.
public struct Slots: Sendable {
  /// The slots that may be used now.
  public private(set) var lanes: Lanes
  /// The most slots of all destinations together.
  private var most: Int
  /// The limits in the order of the destinations; empty with a fixed number.
  private var limits: [ConcurrencyLimit] = []

  /// Creates the slots of a configuration.
  ///
  /// - Parameters:
  ///   - memory: the number of slots that memory has room for; it bounds what is found, not what a person sets.
  ///   - now: the time on the clock that does not jump, as in all functions.
  public init(_ concurrency: Concurrency, destinations: [String], memory: Int, now: Timestamp) {
    lanes = .none
    most = memory
    configure(concurrency, destinations: destinations, now: now)
  }

  /// Returns the number of slots that memory has room for: they may use a quarter of it.
  ///
  /// A request over TLS takes some 150 KiB: libcurl's buffers, the TLS library's, and the job. Four times that leaves room
  /// for the kernel's buffers and for parts of files.
  ///
  /// - Parameter memory: the bytes that the process may use; nil if that is not known.
  public static func fitting(_ memory: Int64?) -> Int {
    guard let memory else { return 2 * ConcurrencyLimit.highest }
    return min(1024, max(ConcurrencyLimit.start, Int(clamping: memory / 4 / (600 << 10))))
  }

  /// Changes the setting and the destinations. A destination that stays keeps what was learned of it.
  public mutating func configure(_ concurrency: Concurrency, destinations: [String], now: Timestamp) {
    guard concurrency == .auto else {
      limits = []
      if case .fixed(let slots) = concurrency { lanes = Lanes(concurrency: slots, destinations: destinations) }
      return
    }
    limits = destinations.map { limit(at: $0) ?? ConcurrencyLimit(most: most, now: now) }
    renew(destinations)
  }

  /// The limit of a destination by itself; nil with a fixed number.
  public func limit(at destination: String) -> ConcurrencyLimit? {
    guard !limits.isEmpty, let index = lanes.destinations.firstIndex(of: destination) else { return nil }
    return limits[index]
  }

  /// True if limits are found for each destination.
  public var isAdaptive: Bool { !limits.isEmpty }

  /// Hears of the end of an attempt. A fixed number learns nothing.
  ///
  /// - Parameter duration: the time that the slot was held for it.
  public mutating func ended(_ result: AttemptResult, of job: Job, after duration: Duration, now: Timestamp) {
    guard !limits.isEmpty, let index = lanes.destinations.firstIndex(of: job.destination) else { return }
    let before = limits[index].limit
    switch result {
    case .uploaded, .registered:
      // the time of a large upload says more about its size
      if !job.isLargeUpload { limits[index].answered(after: duration, now: now) }
    case .failed(let failure, _), .changed(let failure, _, _):
      switch failure.meansForConcurrency {
      case .refused: limits[index].refused(after: duration, now: now)
      case .failed: limits[index].failed(after: duration, now: now)
      case .answered: limits[index].answered(after: duration, now: now)
      case .nothing: break
      }
    case .cut: break
    }
    if limits[index].limit != before { renew(lanes.destinations) }
  }

  /// Takes note of a commit.
  ///
  /// - Parameter canStart: true if something could begin at a destination if a slot were free there.
  public mutating func look(now: Timestamp, canStart: (String) -> Bool) {
    for index in limits.indices {
      let before = limits[index].limit
      limits[index].look(isWaiting: canStart(lanes.destinations[index]), now: now)
      if limits[index].limit != before { renew(lanes.destinations) }
    }
  }

  private mutating func renew(_ destinations: [String]) {
    lanes = Lanes(limits: limits.map(\.limit), most: most, destinations: destinations)
  }
}

extension Failure {
  fileprivate enum MeaningForConcurrency {
    /// The far side has too much to do, or says so.
    case refused
    /// It may have.
    case failed
    /// It answered; the fault is the request's.
    case answered
    /// The far side had no part in it, or nothing can be sent for now.
    case nothing
  }

  fileprivate var meansForConcurrency: MeaningForConcurrency {
    switch kind {
    case .unavailable, .throttled: .refused
    case .transient: isFromGateway ? .failed : .nothing
    case .conflict: .answered
    case .rejected: status == nil ? .nothing : .answered
    case .credentials, .network, .destination, .file, .fileChanged, .configuration: .nothing
    }
  }
}

extension Gate {
  /// The failures at an open gate since the last success; decides if they can be chance.
  ///
  /// Counting failures in a row would be wrong: a proxy's 502 comes at once, while a success takes time, so for a moment all answers
  /// are failures. So attempts count in the order in which they began. A success counts for all attempts that began before it. The
  /// failures must be as many as the attempts in flight, and still be nine tenths of all if every attempt that they overtook succeeds.
  public struct Run: Hashable, Sendable {
    /// The kind of failure of a run.
    public enum Cause: Hashable, Sendable {
      /// ``Symptom/Kind/gateway``.
      case gateway
      /// ``Symptom/Kind/doubtful``.
      case doubt
      /// The same refusal of each job.
      case rejection(Rejection)
    }

    /// The number of different jobs that must fail for a gate to close.
    public static let least = 8
    /// The factor for a destination at which successes and failures alternate.
    private static let patience = 8
    /// The number of successes after a failure until they no longer count as alternating.
    public static let memory = 64
    /// The same after a question that turned out to be about its job alone.
    static let longMemory = 1024
    /// A gate closes only with this many failures for each overtaken attempt.
    private static let mostFailures = 9

    private var cause: Cause?
    /// The first different jobs that failed, at most ``least``.
    private var jobs: Set<JobNumber> = []
    package private(set) var count = 0
    /// The start of the first attempt that failed.
    private var since = Timestamp(microseconds: 0)
    /// The number of successes after which successes and failures no longer count as alternating; 0 if they do not alternate.
    private(set) var memory: Int

    package init(memory: Int = 0) { self.memory = memory }

    /// Adds the failure of a job; returns true if the gate must close.
    mutating func add(_ cause: Cause, of job: JobNumber, _ peers: Peers) -> Bool {
      if self.cause != cause {
        self = Run(memory: memory)
        self.cause = cause
        since = peers.began ?? since
      }
      if jobs.count < Self.least { jobs.insert(job) }
      count += 1
      assert(jobs.count <= min(count, Self.least) && memory >= 0)
      return jobs.count >= Self.least && count >= (memory > 0 ? Self.least * Self.patience : Self.least)
        && count >= max(peers.inFlight, Self.mostFailures * peers.overtaken)
    }

    /// Adds a success, or an answer that proves as much.
    /// - Parameter began: the start of its attempt; nil for one later than all failures.
    mutating func succeeded(_ began: Timestamp?, now: Timestamp) {
      if count == 0 {
        memory = max(0, memory - 1)
      } else if since > now || began.map({ $0 >= since }) ?? true {
        // A start in the future means that the clock was set back.
        self = Run(memory: max(memory, Self.memory))
      }
    }

    func isOf(_ cause: Cause) -> Bool { self.cause == cause }
  }

  /// The attempt that ended, among those of its destination.
  public struct Peers: Hashable, Sendable {
    /// The wall-clock time at which the attempt began; nil if not known.
    public var began: Timestamp?
    /// The number of attempts that were in flight, itself included.
    public var inFlight: Int
    /// The number of attempts that began earlier and are still in flight.
    public var overtaken: Int

    /// Creates the facts about an attempt; without arguments, of one that is alone.
    public init(began: Timestamp? = nil, inFlight: Int = 1, overtaken: Int = 0) {
      self.began = began
      self.inFlight = inFlight
      self.overtaken = overtaken
    }
  }

  /// The refusal of a request because of its content, as far as it is the same for one job and another: the status, and the
  /// server's own code, or its words.
  public struct Rejection: Hashable, Sendable {
    package let status: Int
    /// The code, or the words.
    public let code: String

    /// The statuses that speak of this content or this key alone, by their definition (RFC 9110).
    private static let ofContent = [412, 413, 415, 422]

    /// Returns nil for any other failure.
    public init?(_ failure: Failure) {
      guard failure.kind == .rejected, let status = failure.status, !Self.ofContent.contains(status) else { return nil }
      self.status = status
      code = failure.code ?? failure.words
    }
  }
}

extension Gate {
  /// What failed at an open gate since the last success, and how much of it is too much for chance.
  ///
  /// Counting failures in a row would not do: a proxy's 502 comes at once, a success takes its time, and in a moment in which no
  /// success is due all answers are failures. So attempts are taken in the order in which they were begun. A success counts for
  /// what was begun before it, and the failures must be as many as are in flight, and nine tenths even if everything that was
  /// overtaken by them succeeds.
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
    /// The part of failures to one success at which holding serves.
    private static let mostFailures = 9

    private var cause: Cause?
    /// The first different jobs that failed, at most ``least``.
    private var jobs: Set<JobNumber> = []
    private var failures = 0
    /// The start of the first of these attempts.
    private var since = Timestamp(microseconds: 0)
    /// The number of successes until it is forgotten that successes and failures alternate; 0 if they do not.
    private(set) var memory: Int

    /// Creates an empty run.
    ///
    /// - Parameter memory: the number of successes for which the gate takes failures for chance or for the jobs' own.
    public init(memory: Int = 0) { self.memory = memory }

    /// The number of failures.
    public var count: Int { failures }

    /// Adds the failure of a job; returns true if the gate must close.
    mutating func add(_ cause: Cause, of job: JobNumber, _ peers: Peers) -> Bool {
      if self.cause != cause {
        self = Run(memory: memory)
        self.cause = cause
        since = peers.began ?? since
      }
      if jobs.count < Self.least { jobs.insert(job) }
      failures += 1
      return jobs.count >= Self.least && failures >= (memory > 0 ? Self.least * Self.patience : Self.least)
        && failures >= max(peers.inFlight, Self.mostFailures * peers.overtaken)
    }

    /// Adds a success, or an answer that shows as much.
    ///
    /// - Parameter began: the start of its attempt; nil for one that is later than all.
    mutating func succeeded(_ began: Timestamp?, now: Timestamp) {
      if failures == 0 {
        memory = max(0, memory - 1)
      } else if since > now || began.map({ $0 >= since }) ?? true {
        // A start in the future is from before the clock was set back.
        self = Run(memory: max(memory, Self.memory))
      }
    }

    /// Returns true if the failures are of this cause.
    func isOf(_ cause: Cause) -> Bool { self.cause == cause }
  }

  /// The attempt that ended, among those of its destination.
  public struct Peers: Hashable, Sendable {
    /// The wall-clock time at which it began; nil if that is not known.
    public var began: Timestamp?
    /// The number of attempts that were in flight, itself included.
    public var inFlight: Int
    /// The number of those that began before it and are still in flight.
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
    /// The HTTP status.
    public let status: Int
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

public import Jobs

/// Which jobs a command for many is about.
public enum JobSelection: Hashable, Sendable {
  /// Those that a filter finds.
  case filter(JobFilter)
  /// Those named.
  case list([JobReference])
  /// Every job in the states that the command is for (``Command/Name/statesOfAll``).
  case all

  /// The jobs that a command for many takes, as a filter with the states that it means; nil where none can be, or where
  /// jobs are named one by one.
  public func filter(for command: Command.Name) -> JobFilter? {
    switch self {
    case .list: return nil
    case .all:
      var filter = JobFilter()
      filter.states = command.statesOfAll
      return filter
    case .filter(var filter):
      filter.states =
        filter.states.isEmpty ? command.statesOfFilter : filter.states.intersection(command.fittingStates)
      return filter.states.isEmpty ? nil : filter
    }
  }
}

extension Command.Name {
  /// The states that the command is for: those that `all` means. Every other one has to be named.
  public var statesOfAll: Set<State> {
    switch self {
    case .confirm, .cancel: [.awaitingConfirmation]
    case .retry: [.aborted]
    case .release, .discard: [.aborted, .cancelled]
    }
  }

  /// The states that a filter means which names none: those that the command fits, but that a retry neither sends what a
  /// person has stopped nor answers a question.
  public var statesOfFilter: Set<State> {
    self == .retry ? fittingStates.subtracting([.cancelled, .awaitingConfirmation]) : fittingStates
  }

  /// The states in which a job takes the command.
  public var fittingStates: Set<State> {
    switch self {
    case .confirm: Set(State.allCases.filter(\.isWaiting))
    case .retry: Set(State.allCases.filter(\.isWaiting)).union([.aborted, .cancelled])
    case .cancel: Set(State.allCases.filter { !$0.isTerminal })
    case .release, .discard: [.aborted, .cancelled]
    }
  }
}

/// How a command for many went.
public struct BulkAnswer: Hashable, Sendable, Codable {
  /// A job that the command did not fit.
  public struct Refused: Hashable, Sendable, Codable {
    /// The job as the caller named it, or its number.
    public var job: String
    /// Why, in words.
    public var detail: String

    /// A job that was left as it is.
    public init(job: String, detail: String) {
      self.job = job
      self.detail = detail
    }
  }

  /// The most refusals that an answer lists.
  public static let mostListed = 100

  /// How many jobs were changed.
  public var done: Int
  /// How many were left as they are.
  public var refused: Int
  /// The first of those that were left as they are, at most ``mostListed``; without those that ``left`` counts.
  public var refusals: [Refused]
  /// How many of them a filter found in states that the command does not take, by state.
  public var left: [String: Int]?

  /// An answer; of more refusals than ``mostListed`` the first are kept.
  public init(done: Int, refused: Int, refusals: [Refused], left: [String: Int]? = nil) {
    self.left = left
    self.done = done
    self.refused = refused
    self.refusals = Array(refusals.prefix(Self.mostListed))
  }
}

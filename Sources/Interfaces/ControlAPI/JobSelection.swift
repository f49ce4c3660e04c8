public import Jobs
public import Messages

/// A job as a caller saw it.
public struct SeenJob: Hashable, Sendable {
  /// The job.
  public var job: JobReference
  /// Its revision then; nil if any will do.
  public var revision: Int64?

  /// Creates a job that was seen.
  public init(_ job: JobReference, revision: Int64?) {
    self.job = job
    self.revision = revision
  }
}

/// A number, an id, or `{"job":…,"revision":…}`.
extension SeenJob: JSONValue {
  package init(json: JSONNode) throws(JSONFault) {
    var node = json
    if case .object(var members) = json {
      node = try members.member("job")
      revision = try members.value("revision")
      guard members.members.count == (revision == nil ? 1 : 2), revision ?? 0 >= 0 else {
        throw JSONFault(words: "an object in it has only job and revision, the number that an answer gave")
      }
    }
    // Ignored: a reference that is no integer is a text.
    let text = if let number = try? node.integer() { String(number) } else { try node.text() }
    guard let job = JobReference(text) else {
      throw node.another("number or id of a job")
    }
    self.job = job
  }

  package func write(into text: inout JSONText) {
    text.object { text in
      text.member("job", job.description)
      if let revision { text.member("revision", revision) }
    }
  }
}

/// The jobs that a command for many jobs applies to.
public enum JobSelection: Hashable, Sendable {
  /// The jobs that a filter finds.
  case filter(JobFilter)
  /// The jobs of a group (`like` of the filter) as it was shown.
  case group(JobFilter, GroupDigest)
  /// The jobs that are named, each with the revision that the caller saw, if it matters. A job that has changed since is not changed.
  case seen([SeenJob])
  /// Every job in the states that the command is for (``JobCommand/Name/statesOfAll``).
  case all

  /// Returns the jobs that a command for many takes, as a filter with the states that it means; nil if there can be none, or if
  /// jobs are named one by one.
  public func filter(for command: JobCommand.Name) -> JobFilter? {
    switch self {
    case .seen: return nil
    case .all:
      var filter = JobFilter()
      filter.states = command.statesOfAll
      return filter
    case .filter(var filter), .group(var filter, _):
      // A group names the state of its jobs.
      let usual = filter.like == nil ? command.statesOfFilter : command.fittingStates
      filter.states = filter.states.isEmpty ? usual : filter.states.intersection(command.fittingStates)
      return filter.states.isEmpty ? nil : filter
    }
  }
}

extension JobCommand.Name {
  /// The states that `all` means for the command. A job in any other state must be named.
  public var statesOfAll: Set<JobState> {
    switch self {
    case .confirm, .cancel: [.awaitingConfirmation]
    case .retry: [.aborted]
    case .release, .discard: [.aborted, .cancelled]
    }
  }

  /// The states that a filter without states means: those that the command fits. But a retry neither sends jobs that a person has
  /// stopped nor answers a question.
  public var statesOfFilter: Set<JobState> {
    self == .retry ? fittingStates.subtracting([.cancelled, .awaitingConfirmation]) : fittingStates
  }

  /// The states that the command fits.
  public var fittingStates: Set<JobState> { Set(JobState.allCases.filter(fits)) }
}

extension BulkAnswer {
  /// The most refusals that an answer lists.
  public static let mostListed = 100
}

extension BulkAnswer.Refused {
  /// Creates the refusal of a job that was not changed.
  public init(_ job: JobReference, detail: Message) {
    switch job {
    case .number(let number): self.init(job: number.rawValue, detail: detail)
    case .id(let id): self.init(id: id.description, detail: detail)
    case .onHost: self.init(id: job.description, detail: detail)
    }
  }
}

import ControlAPI
import ControlServer
import HTTPTypes
import Jobs
import Simulation
import Synchronization

/// Commands as requests: path and body, read by what the handlers of the control socket read them with. A connection has a thread and a
/// clock of its own, so it is not simulated.
extension Operators {
  /// How a person's program sends a command. They take turns.
  enum Manner: CaseIterable {
    /// With the revision that the person has seen.
    case seen
    /// After a request that is none.
    case malformed
    /// After a request about another revision.
    case wrongRevision
    /// The program goes away before it has the answer, and the person sends the command again.
    case gone
  }

  /// What follows a command's path, and a body: none of them is a request.
  private static let malformed = [
    ("", "{"), ("", "[]"), ("", #"{"revision":-1}"#), ("", #"{"revision":null}"#), ("", #"{"sooner":true}"#),
    ("?force=1", ""), ("/", ""),
  ]

  /// Sends a command about a job, and returns the job after it.
  /// - Parameter turn: the number of the command, by which its manner is chosen; nil for the plain one.
  static func send(
    _ command: JobCommand, to job: JobMessage, turn: Int?, _ operations: any ControlOperations, _ life: Life
  ) async throws -> JobMessage {
    let path = "/v1/jobs/\(job.job)/\(command.name.rawValue)"
    let body = CommandBody(command).json
    switch turn.map({ Manner.allCases[$0 % Manner.allCases.count] }) {
    case nil: break
    case .seen:
      do {
        return try await carryOut(CommandBody(command, revision: job.revision).json, at: path, operations)
      } catch let error as CommandRefused where error.isOfRevision {
        // The job has moved on; the person means it all the same.
      }
    case .malformed:
      let (ending, body) = malformed[(turn ?? 0) / Manner.allCases.count % malformed.count]
      await expectRefusal(of: Array(body.utf8), at: path + ending, .malformed, operations, life)
    case .wrongRevision:
      await expectRefusal(
        of: CommandBody(command, revision: .max).json, at: path, .wrongRevision, operations, life)
    case .gone:
      let first = Task(executorPreference: life.world.tasks) { try await carryOut(body, at: path, operations) }
      life.reach(Reach.Place.callerGone.rawValue)
      // Ignored: the first one was carried out, or says why not.
      guard let after = try? await carryOut(body, at: path, operations) else { return try await first.value }
      _ = await first.result
      return after
    }
    return try await carryOut(body, at: path, operations)
  }

  /// The target of a pause, read from the body of a request.
  static func read(_ target: Action.PauseTarget) throws -> Pause.Target {
    try PauseBody(parsing: Array(#"{"destination":"\#(Pause.Target(target).name)"}"#.utf8)).target
  }

  /// Does what the daemon's handlers do with a request.
  private static func carryOut(
    _ body: [UInt8], at path: String, _ operations: any ControlOperations
  ) async throws -> JobMessage {
    let request = HTTPRequest(method: .post, scheme: nil, authority: nil, path: path)
    guard case .command(let name, let reference) = try ControlRoute(request) else { throw CancellationError() }
    let body = try CommandBody(parsing: body, for: name)
    return try await operations.carryOut(body.command, on: reference, by: caller, revision: body.revision).job
  }

  private static func expectRefusal(
    of body: [UInt8], at path: String, _ place: Reach.Place, _ operations: any ControlOperations, _ life: Life
  ) async {
    do {
      let job = try await carryOut(body, at: path, operations)
      life.violate("\(place.rawValue), \(path), was carried out: \(job.state.rawValue)")
    } catch {
      if error is CommandRefused || error is InvalidRequest || error is ProblemDocument { life.reach(place.rawValue) }
    }
  }
}

extension Life {
  /// True if a seed has made the scenario.
  var isOfChance: Bool { contents.withLock { !$0.state.scenario.features.isEmpty } }

  /// The number of the present command; seeds begin with different ones.
  var turn: Int { contents.withLock { $0.state.books.commands + Int($0.state.seed % 1000) } }

  var releaseFolder: String { "\(root)/\(ConfigurationPlan.releaseFolder)" }
}

extension CommandRefused {
  fileprivate var isOfRevision: Bool { if case .revision = refusal.reason { true } else { false } }
}

import ControlAPI
import Jobs
import Linux
import Messages
import PostgreSQL
import Seams
import Settings

/// Carries out the commands that people elsewhere have asked this host for.
struct CommandCarrier: Sendable {
  let connection: PostgreSQLConnection
  let client: ControlClient
  let ledger: String
  let allow: Set<FleetSettings.Action>
  /// False if what the daemon says about a file must not leave the host.
  var names = true

  /// The most commands of one round, which are calls of the daemon at a time.
  ///
  /// Their outcomes are written at the end of the round. So a round is short, and an agent that is killed again and again still
  /// makes progress.
  static let calls = 8
  /// The most bytes of a command's arguments. A daemon does not accept more.
  private static let longestArguments = 1 << 16

  /// Does one round: reads the open commands, carries them out, and writes their outcomes. Returns true if there may be more already.
  func step() async throws -> Bool {
    let commands = try await open()
    guard !commands.isEmpty else { return false }
    Failpoint.agentCommandsRead.pass()
    let outcomes = await withTaskGroup(of: (Int64, FleetOutcome)?.self) { group in
      for command in commands { group.addTask { await outcome(command).map { (command.id, $0) } } }
      return await group.reduce(into: [(Int64, FleetOutcome)]()) { all, one in if let one { all.append(one) } }
    }
    Failpoint.agentOutcomesWriting.pass()
    try await write(outcomes)
    Failpoint.agentOutcomesWritten.pass()
    return commands.count == Self.calls && !outcomes.isEmpty
  }

  private func open() async throws -> [FleetCommand] {
    // what was asked of a host that was forgotten since then is not for the host that came back
    try await connection.run { database in
      try database.query(
        """
        SELECT command.id, job, revision, left(action, 100),
          CASE WHEN jsonb_typeof(arguments) = 'object' AND octet_length(arguments::text) <= \(Self.longestArguments)
            THEN arguments - 'id' ELSE '[]' END,
          left(by_user, 200), asked_by, expires_at <= now(), left(arguments ->> 'id', 100)
        FROM waybill.command AS command JOIN waybill.host AS host USING (ledger, owner)
        WHERE ledger = $1 AND outcome IS NULL AND host.first_seen_at <= asked_at ORDER BY command.id LIMIT $2
        """, [ledger, String(Self.calls)]
      ).rows
    }.map { row in
      FleetCommand(
        id: row.number(0) ?? 0, job: row.number(1), jobID: row[8], revision: row.number(2), action: row.text(3),
        arguments: Array(row.text(4).utf8),
        by: FleetPerson(row.text(5), role: FleetPerson.fitting(row.text(6))), isExpired: row.flag(7))
    }
  }

  /// Carries out one command; nil if it has to wait.
  private func outcome(_ command: FleetCommand) async -> FleetOutcome? {
    let call: FleetCommand.Call
    do throws(InvalidRequest) {
      call = try command.call(allow: allow)
    } catch {
      // an earlier agent may have carried it out while that was allowed
      return await wasOurs(command) ? FleetOutcome(.done, .fleetDoneBefore) : FleetOutcome(.refused, error.message)
    }
    // Ignored: the daemon is away, so the command waits.
    guard let answer = try? await client.post(call.path + "?texts=coded", body: call.body, for: command.by) else {
      return nil
    }
    if answer.status == 200 { Failpoint.agentCarriedOut.pass() }
    let outcome = FleetOutcome(status: answer.status, answer: answer.body, showing: names)
    guard outcome?.kind == .changed, await wasOurs(command) else { return outcome }
    return FleetOutcome(.done, .fleetDoneBefore)
  }

  /// Returns true if the job's history has this very command: the agent ended before it could write the outcome.
  ///
  /// A command applies to one revision and makes the next one. So an event of the command's kind, by its person, with the
  /// revision after the one that was seen is that command.
  private func wasOurs(_ command: FleetCommand) async -> Bool {
    guard let job = command.reference, let revision = command.revision, let by = command.by,
      let name = JobCommand.Name(rawValue: command.action)
    else { return false }
    // Ignored: without the history, the person reads that the job has changed, and its present state.
    guard let history = try? await client.job(job).history else { return false }
    let (next, isLast) = revision.addingReportingOverflow(1)
    return !isLast
      && history.contains { $0.event == name.participle && $0.revision == next && $0.by?.user == by.description }
  }

  private func write(_ outcomes: [(Int64, FleetOutcome)]) async throws {
    guard !outcomes.isEmpty else { return }
    try await connection.run { database in
      try database.transaction {
        for (id, outcome) in outcomes {
          try database.query(
            """
            UPDATE waybill.command SET outcome = $3, words = $4, done_at = now()
            WHERE ledger = $1 AND id = $2 AND outcome IS NULL
            """, [ledger, String(id), outcome.kind.rawValue, outcome.stored])
        }
      }
    }
  }
}

import ArgumentParser
import CommandParts
import ControlAPI
import Fleet
import FoundationEssentials
import Glibc
import Linux
import PostgreSQL

/// The options of a command that is carried out elsewhere.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The time in which a host that is away may still carry it out, in hours.", valueName: "hours"))
  var expires = 24
  @Option(help: ArgumentHelp("The time to wait for the hosts, in seconds.", valueName: "seconds")) var wait = 15
  @Flag(help: "What became of it, as JSON.") var json = false

  func validate() throws {
    guard (1...24 * 365).contains(expires) else { throw ValidationError("--expires needs a number of hours.") }
    guard (0...3600).contains(wait) else { throw ValidationError("--wait needs a number of seconds up to 3600.") }
  }

  /// The person at the terminal, as the hosts' histories will name them.
  static var person: String { FleetPerson.fitting(UserName.of(getuid())) }

  /// The person, and the time that hosts have.
  var asker: FleetRequest.Asker { FleetRequest.Asker(Self.person, expiresIn: Int64(expires) * 3600) }

  /// Waits for the hosts, and prints the outcome of a request.
  ///
  /// - Throws: ``CommandFailure`` unless all of it is done.
  func waitFor(_ request: FleetRequest, _ session: PostgreSQLSession) throws {
    try Self.waitFor(request, session, wait: wait, json: json)
  }

  /// Does the same with another time to wait.
  static func waitFor(_ request: FleetRequest, _ session: PostgreSQLSession, wait: Int, json: Bool) throws {
    guard request.count > 0 else { throw CommandFailure(status: ExitCode(1), words: "no job is meant") }
    let deadline = ContinuousClock.now + .seconds(wait)
    var progress = try request.progress(session)
    while progress.open > 0, ContinuousClock.now < deadline {
      usleep(200_000)
      progress = try request.progress(session)
    }
    if json { try Output.json(progress) } else { Output.line(Words.shown(progress.words)) }
    for refusal in progress.refusals { Output.plainError(Words.shown(refusal)) }
    if progress.open > 0 {
      Output.plainError("what becomes of it: waybill-fleet requests \(request.shown)")
      throw CommandFailure(status: .pending, words: nil)
    }
    if progress.outcomes["done"] != request.count { throw CommandFailure(status: ExitCode(1), words: nil) }
  }
}

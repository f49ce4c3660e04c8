import ArgumentParser
import CommandParts
import ControlAPI
import Jobs

/// `waybill ask`
struct AskCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Answer the open questions one after the other, at a terminal.",
    discussion: """
      Each question shows the job, name, spool, age and number of tries. One key answers it:

        r   retry, as confirm does (y too)
        c   cancel (n too); you may give a reason
        l   use a link, as confirm --link does, if the upload failed
        a   one answer for all questions of this kind, whose number it shows
        s   skip: the question stays open
        q   quit; Ctrl-D does the same
        ?   explain the keys

      Keys pressed before a question was shown are ignored. If somebody else has answered it, the command shows who \
      and when, and changes nothing.
      """)

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var scope: ScopeOptions
  @Option(help: .error) var error: String?

  func run() async throws {
    guard Person.isThere else {
      throw CommandFailure.usage(
        """
        ask needs a terminal. Elsewhere, waybill list --by reason shows the questions in groups, and waybill confirm \
        and waybill cancel answer them
        """)
    }
    var filter = JobFilter(scope, error: error)
    filter.states = [.awaitingConfirmation]
    let client = try connection.client()
    // Reports at once, and not between two questions, that there is no daemon.
    _ = try await client.status()
    let person = try Person(stops: true)
    defer { person.restore() }
    let session = AskSession(client: client, filter: filter, person: person)
    do {
      try await session.run()
    } catch let end as Person.Ended {
      person.restore()
      if let open = await session.openCount() {
        person.write(
          open == 0 ? "No question is open.\n" : "\(Words.count(open, "question is", "questions are")) open.\n")
      }
      if let signal = end.signal { person.end(by: signal) }
    } catch {
      person.write("\n")
      throw error
    }
  }
}

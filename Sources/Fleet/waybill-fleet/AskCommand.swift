import ArgumentParser
import CommandParts
import Fleet

/// `waybill-fleet ask`
struct AskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Go through the open questions of all hosts, group by group.",
    discussion: "Questions of one destination for one reason are one group, and have one answer.")
  @OptionGroup var options: FleetOptions
  @OptionGroup var request: RequestOptions

  func run() throws {
    let session = try options.fleet()
    let groups = try FleetView.groups(session, FleetView.questions)
    if groups.isEmpty { return Output.line("No questions.") }
    for group in groups {
      let hosts = group.hosts == 1 ? "1 host" : "\(group.hosts) hosts"
      Output.line(
        "\(group.jobs) at \(Words.shown(group.key.destination ?? "-")) on \(hosts), e.g. \(Words.shown(group.first)): "
          + Words.shown(group.shown))
      Output.prompt("[r]etry, [c]ancel, [s]kip, [q]uit? ")
      let action: String
      switch readLine()?.first {
      case "r": action = "confirm"
      case "c": action = "cancel"
      case "q", nil: return
      default: continue
      }
      var filter = FleetFilter()
      (filter.group, filter.digest) = (group.key, group.digest)
      do {
        let asked = try FleetRequest.ask(
          session, action, of: filter, in: "\(group.key.destination.map { $0 + ": " } ?? "")\(group.shown)",
          by: request.asker)
        try request.waitFor(asked, session)
      } catch let changed as FleetGroupChanged {
        Output.error("\(changed)")
      } catch let failure as CommandFailure {
        // the sentence has been printed; the next group is another matter
        if let words = failure.words { Output.error(words) }
      }
    }
  }
}

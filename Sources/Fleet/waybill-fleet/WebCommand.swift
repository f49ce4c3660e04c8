import ArgumentParser
import CommandParts
import Fleet
import Glibc
import Jobs
import Linux
import Settings
import SystemdLink
import WebPages

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Serve all hosts as a daemon serves its own jobs.",
    discussion: """
      Serves the operator page and the API of waybill-api(7) over all hosts, by default at 127.0.0.1:8710. The section \
      [web] of fleet.toml(5) sets the address, and who may answer under which name. Without it, everybody who reaches it \
      can look, and nobody can answer.

      With a Unix socket and peer = true, you answer in your own name: by waybill --socket \
      /run/waybill-fleet-web/web.sock, or in a browser after ssh -N -L 8710:/run/waybill-fleet-web/web.sock HOST.
      """)

  @OptionGroup var options: FleetOptions

  func run() async throws {
    let settings = try options.settings()
    signal(SIGPIPE, SIG_IGN)
    let report: @Sendable (String) -> Void = { Output.error($0) }
    let names = UserNames(
      clock: Clock(
        now: { Timestamp(microseconds: Clocks.wall()) }, steady: { Timestamp(microseconds: Clocks.boottime()) }))
    let web = try FleetWeb(
      settings.web, database: settings.database, userName: { await names.name(of: $0) }, report: report)
    let notifier = ServiceNotifier()
    let words = "serves the fleet's page at \(settings.web.listen)"
    try await WaybillFleet.serve(notifier) {
      try await web.run {
        notifier.ready(status: words)
        report(words)
      }
    }
  }
}

import ArgumentParser
import CommandParts
import ControlAPI
import FoundationEssentials
import Jobs
import Messages
import Settings

struct SpoolListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The spools, with their destinations.",
    discussion: """
      JOBS are those that are not done, FILES those that are not taken yet. If no daemon answers, it lists the spools of \
      the configuration, without numbers.
      """)

  @OptionGroup var options: SpoolOptionGroup
  @Flag(help: .json) var json = false

  func run() async throws {
    var rows: [(spool: SpoolMessage, state: String, jobs: String, files: String)] = []
    let client = try options.connection.client()
    do throws(ControlError) {
      let status = try await client.status()
      for spool in status.spools {
        let jobs = try await client.openJobs(of: spool.name)
        rows.append((spool, status.state(of: spool), String(jobs), String(status.untaken[spool.name] ?? 0)))
      }
    } catch {
      guard case .noDaemon = error else { throw error }
      rows = try options.place.load(ProcessInfo.processInfo.environment).spools.map { spool in
        let message = SpoolMessage(
          name: spool.name, path: spool.path, watch: "", readiness: [], lastScan: nil, oldestWaiting: nil,
          storage: spool.storage, backend: spool.backend)
        return (message, "no daemon", "-", "-")
      }
    }
    if json {
      return Output.json(Array("[".utf8) + rows.map { $0.spool.json() }.joined(separator: ",".utf8) + "]".utf8)
    }
    var table = Table(columns: [
      .init(heading: "SPOOL"), .init(heading: "PATH", least: 12), .init(heading: "STORAGE"), .init(heading: "BACKEND"),
      .init(heading: "STATE"), .init(heading: "JOBS", isNumber: true), .init(heading: "FILES", isNumber: true),
    ])
    table.rows = rows.map { spool, state, jobs, files in
      [spool.name, spool.path, spool.storage ?? "-", spool.backend ?? "-", state, jobs, files].map {
        .init(text: DisplayText.escape($0))
      }
    }
    for line in table.lines(.standardOutput) { Output.line(line) }
  }
}

extension StatusMessage {
  fileprivate func state(of spool: SpoolMessage) -> String {
    if pauses.contains(where: { ["spool.\(spool.name)", "all", "recovered", "intake"].contains($0.destination) }) {
      return "paused"
    }
    let destinations = [
      "storage.\(spool.storage ?? "")", "backend.\(spool.backend ?? "")", "late.\(spool.name)",
    ]
    if (gates + pauses).contains(where: { destinations.contains($0.destination) }) { return "on hold" }
    return spool.lastScan == nil ? "not scanned" : spool.watch
  }
}

extension ControlClient {
  /// Returns the number of jobs of a spool that are not done: they need their files, or may need them.
  func openJobs(of spool: String) async throws(ControlError) -> Int {
    var filter = JobFilter()
    (filter.spool, filter.states) = (spool, Set(JobState.allCases.filter { $0.phase != .done }))
    return try await groups(filter).groups.map(\.count).saturatingSum
  }
}

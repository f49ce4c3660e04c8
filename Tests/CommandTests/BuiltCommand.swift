import ChildProcesses
import ControlTesting
import FoundationEssentials
import Glibc
import Jobs

/// Who runs the tests, as the control server names him.
let user = "user\(getuid())"

/// Runs the command as it was built.
func waybill(_ socket: String, _ arguments: String...) async throws -> Command {
  try await Command.run([Products.command] + arguments, environment: ["WAYBILL_SOCKET": socket])
}

func waybill(_ socket: String, _ arguments: [String]) async throws -> Command {
  try await Command.run([Products.command] + arguments, environment: ["WAYBILL_SOCKET": socket])
}

/// Runs the command on a terminal of its own; what it writes comes with the terminal's line ends.
func onTerminal(
  _ socket: String, _ line: String, input: String = "", environment: [String: String] = [:]
) async throws -> Command {
  let command = "stty cols 60 && exec '\(Products.command)' \(line)"
  let environment = environment.merging(["WAYBILL_SOCKET": socket, "TERM": "xterm", "NO_COLOR": "", "TZ": "UTC"]) {
    given, _ in
    given
  }
  return try await Command.run(
    ["script", "-qec", command, "/dev/null"], environment: environment, input: Data(input.utf8))
}

/// So many jobs, each of which asks.
func jobs(_ count: Int) async throws -> InMemoryJobs {
  let jobs = InMemoryJobs()
  for number in 1...count { try await jobs.add(FileName("\(number).pdf"), .begin, .asks) }
  return jobs
}

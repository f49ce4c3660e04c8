import ChildProcesses
import ControlTesting
import Glibc
import Jobs

/// Who runs the tests, as the control server names him.
let user = "user\(getuid())"

/// Runs the command as it was built.
func waybill(_ socket: String, _ arguments: String...) async throws -> ChildProcesses.Command {
  try await Command.run([Products.command] + arguments, environment: ["WAYBILL_SOCKET": socket])
}

/// Does the same with arguments in an array.
func waybill(_ socket: String, _ arguments: [String]) async throws -> ChildProcesses.Command {
  try await Command.run([Products.command] + arguments, environment: ["WAYBILL_SOCKET": socket])
}

/// So many jobs, each of which asks.
func jobs(_ count: Int) async throws -> InMemoryJobs {
  let jobs = InMemoryJobs()
  for number in 1...count { try await jobs.add(FileName("\(number).pdf"), .begin, .asks) }
  return jobs
}

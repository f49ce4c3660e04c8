import ChildProcesses
import ControlAPI
import ControlTesting
import FoundationEssentials
import Jobs
import Linux
import Seams
import Testing

/// Each command while all numbers of the daemon's answers, or of all files, have an extreme value: it may fail, and no trap ends it.
@Suite(.slot, .bounded)
struct ExtremeNumberTests {
  private static let values: [Int64] = [.min, -1, 0, 1 << 31, 10_413_792_000, .max]

  @Test(arguments: ExtremeNumbers.Fact.allCases)
  func noNumberEndsCommandByTrap(_ fact: ExtremeNumbers.Fact) async throws {
    let folder = try TemporaryFolder()
    let spool = try folder.folder("spool")
    let configuration = try folder.write("waybill.toml", Self.configuration(folder, spool))
    let jobs = InMemoryJobs()
    for number in 1...3 {
      try await jobs.add(FileName("\(number).pdf"), .begin, .asks)
      try await jobs.add(FileName("done-\(number).pdf"), .begin, .uploads, .begin, .registers)
    }
    var operations = jobs.operations
    operations.statusAnswer = {
      var status = await jobs.status()
      status.spools[0].path = spool.path
      status.untaken = ["documents": 3]
      status.transfers = [
        .init(
          job: 1, spool: "documents", name: "1.pdf", size: 10, sent: 5,
          since: Timestamp(seconds: 1_795_000_000))
      ]
      return status
    }
    let file = try folder.write("a.pdf", "some bytes")
    let ofFiles = [
      ["add", file], ["add", "--wait", file, "--name", "b.pdf"], ["status"], ["explain", file],
      ["check", "--config", configuration],
    ]
    let ofAnswers = [
      ["status", "--long"], ["list"], ["list", "--by", "reason"], ["list", "--json"], ["show", "1"], ["log"],
      ["log", "--json"], ["ask"], ["confirm", "1"], ["retry", "--state", "aborted"],
      ["cancel", "--all", "--yes"], ["pause", "--all"], ["resume", "--all"], ["reload"],
      ["release", "3", "--to", folder.path], ["log", "--follow", "--json"],
    ]
    let commands = ofFiles + (fact == .answers ? ofAnswers : [])
    try await withControlServer(operations) { socket in
      for value in Self.values {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for command in commands {
            group.addTask {
              // These go on until they are stopped.
              let isEndless = command.contains("--follow") || command.contains("--wait")
              let words = (isEndless ? ["timeout", "2"] : []) + [Products.command] + command
              let end = try await Command.run(
                words, environment: ["WAYBILL_SOCKET": socket, "WAYBILL_EXTREME": "\(fact.rawValue)=\(value)"])
              #expect(end.status < 128, "\(command) with \(fact) of \(value): \(end)")
            }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  private static func configuration(_ folder: TemporaryFolder, _ spool: URL) throws -> String {
    """
    [daemon]
    state = "\(folder.path)/state"
    [storage.main]
    endpoint = "http://127.0.0.1:9"
    bucket = "documents"
    access_key = { file = "\(try folder.write("key", "key"))" }
    secret_key = { file = "\(try folder.write("secret", "secret"))" }
    [backend.main]
    url = "http://127.0.0.1:9/documents"
    [[spool]]
    path = "\(spool.path)"
    """
  }
}

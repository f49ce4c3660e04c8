import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import Foundation
import Jobs
import Testing

/// Help for what was not meant as it was typed.
@Suite(.slot, .bounded)
struct SuggestionTests {
  private static let misspelt: [([String], meant: String)] = [
    (["lsit"], "waybill list"), (["statsu"], "waybill status"), (["STATUS"], "waybill status"),
    (["confrim", "1"], "waybill confirm"), (["explian", "a.pdf"], "waybill explain"),
    (["retyr", "1"], "waybill retry"),
    (["--socket", "/run/x.sock", "lisst"], "waybill list"), (["help", "lsit"], "waybill list"),
    (["spool", "ad", "/tmp/x"], "waybill spool add"),
  ]

  @Test(arguments: misspelt) func suggestsMisspeltCommand(
    _ arguments: [String], meant: String
  ) async throws {
    let command = try await Command.run([Products.command] + arguments)
    #expect(command.status == 64 && command.output.isEmpty)
    #expect(command.errors.contains("did you mean '\(meant)'?"), "\(command.errors)")
    #expect(!command.errors.contains("USAGE") && !command.errors.contains("Usage"), "\(command.errors)")
    #expect(command.errors.split(separator: "\n").count == 1)
  }

  @Test func unknownCommandPointsToHelp() async throws {
    let command = try await Command.run([Products.command, "xyzzy\u{1B}[31m"])
    #expect(command.status == 64)
    #expect(command.errors == "waybill: 'xyzzy\\x1b[31m' is no command; see waybill --help\n")
  }

  /// What is typed right is left to the parser.
  @Test(arguments: [
    ["--version"], ["--help"], ["help", "list"], ["list", "--help"], ["help", "spool", "add"], ["help"],
  ])
  func acceptsCorrectArguments(_ arguments: [String]) async throws {
    let command = try await Command.run([Products.command] + arguments)
    #expect(command.status == 0 && command.errors.isEmpty, "\(command)")
  }

  @Test func suggestsMisspeltEventOrSpool() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let event = try await waybill(socket, "log", "--event", "canceled")
      #expect(event.status == 64 && event.errors.contains("Did you mean 'cancelled'?"), "\(event)")
      let spool = try await waybill(socket, "add", "--spool", "docments", "/etc/hostname")
      #expect(spool.status == 64 && spool.errors.contains("did you mean 'documents'?"), "\(spool)")
    }
  }

  @Test func refusedFileNameOmitsUsage() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      for words in [
        ["add", "/etc/hostname", "--name", ".hidden"], ["add", "/"], ["add", "/etc/hostname", "--name", "a/.b"],
        ["add", "/etc/hostname", "/etc"],
      ] {
        let refused = try await Command.run([Products.command] + words, environment: ["WAYBILL_SOCKET": socket])
        #expect(refused.status == 64, "\(refused)")
        #expect(refused.errors.hasPrefix("waybill: ") && !refused.errors.contains("Usage"), "\(refused.errors)")
      }
    }
  }
}

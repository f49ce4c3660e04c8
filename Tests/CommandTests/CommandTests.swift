import ArgumentParser
import ChildProcesses
import ControlAPI
import ControlTesting
import ControlServer
import FoundationEssentials
import Glibc
import Jobs
import MessageLiterals
import Messages
import Testing

@testable import waybill

@Suite(.slot, .bounded)
struct CommandTests {
  @Test func statusBeginsWithSummary() async throws {
    let jobs = try await jobs(1)
    try await jobs.add(FileName("b.pdf"), .begin, .aborts)
    try await withControlServer(jobs.operations) { socket in
      let one = try await waybill(socket, "status")
      #expect(one.status == 1)
      #expect(
        one.output.hasPrefix(
          """
          1 job is awaiting confirmation: waybill ask
          1 job is aborted: waybill retry --state aborted
          storage.main is on hold: it answered 503 (service unavailable), for
          """))
      #expect(
        one.output.contains(
          "Activity  idle\nJobs      1 needs you, 1 stopped (1 aborted)\nRequests  storage.main 0 of 22 (at most 50 a second; 3 wait)\n"
            + "Bandwidth 2 MiB/s\n"))
      #expect(one.output.contains("up 2h 2min\n"))
      try await jobs.add(FileName("c.pdf"), .begin, .asks)
      #expect(try await waybill(socket, "status").output.hasPrefix("2 jobs are awaiting confirmation: waybill ask\n"))
      #expect(
        try await waybill(socket, "status", "--json").output.hasPrefix(#"{"activity":{"register":0,"upload":0},"#))
    }
  }

  /// The question has the reason, and an attempt that met what the one before it met says so.
  @Test func showPrintsReasonOnce() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(
      FileName("a.pdf"), .begin, .asks, .command(.retry, by: Caller(uid: 0, user: "kim")), .begin,
      .finished(attempt: 2, .failed(Failure(.rejected, "HTTP 422: invoice number is taken", status: 422), .ask)))
    try await withControlServer(jobs.operations) { socket in
      let shown = try await waybill(socket, "show", "1").output
      #expect(!shown.contains("\nReason"), "\(shown)")
      let attempts = shown.split(separator: "\n").filter { $0.contains(" failed after ") }
      #expect(attempts.count == 2, "\(shown)")
      #expect(attempts.first?.hasSuffix(": HTTP 422: invoice number is taken") == true, "\(shown)")
      #expect(attempts.last?.hasSuffix(": the same") == true, "\(shown)")
    }
  }

  @Test func countsJobsByStateStepReason() async throws {
    let jobs = InMemoryJobs()
    for number in 1...1200 { try await jobs.add(FileName("\(number)"), .begin, .asks) }
    for number in 1...3 {
      let words = "HTTP 422: invoice \(number)0 is taken. Ask for another one"
      try await jobs.add(
        FileName("x"), .begin, .finished(attempt: 1, .failed(Failure(.rejected, .text(words), status: 422), .ask)))
    }
    try await jobs.add(FileName("queued.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let table = try await waybill(socket, "list", "--by", "reason").output.split(separator: "\n")
      #expect(
        table == [
          "GROUP  JOBS  STATE                          KIND      REASON",
          "    1  1200  awaiting confirmation: upload  rejected  HTTP 422: invoice number is taken",
          " 1201     3  awaiting confirmation: upload  rejected  HTTP 422: invoice … is taken",
          " 1204     1  queued: upload                           ",
          "To answer a group: waybill confirm --group 1, or waybill cancel --group 1",
        ])
      let json = try await waybill(socket, "list", "--by", "reason", "--json", "--limit", "1", "--state", "queued")
      let digest = try #require(json.output.firstMatch(of: /"digest":"([^"]+)",/))
      #expect(GroupDigest(String(digest.output.1)) != nil)
      #expect(
        json.output.replacing(digest.output.0, with: "")
          == #"{"groups":[{"count":1,"first_job":1204,"group":1204,"kind":null,"reason":"","#
          + #""state":"queued","status":null,"step":"upload"}]}"# + "\n")
      #expect(try await waybill(socket, "list", "--by", "reason", "--spool", "none").output == "No jobs.\n")
      #expect(try await waybill(socket, "list", "--by", "colour").status == 64)
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func writesCompletionsForEachShell(shell: String) async throws {
    let script = try await Command.run([Products.command, "--generate-completion-script", shell])
    #expect(script.status == 0 && script.errors.isEmpty)
    for word in ["status", "ask", "awaiting-confirmation", "spool"] { #expect(script.output.contains(word)) }
    guard try await Command.run(["which", shell]).status == 0 else { return }
    let parsed = try await Command.run([shell, "-n"], input: Data(script.output.utf8))
    #expect(parsed.status == 0, "\(parsed.errors)")
  }

  @Test func showsAttemptsAndHistory() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      _ = try await waybill(socket, "cancel", "1", "--reason", "wrong file")
      let shown = try await waybill(socket, "show", "1")
      #expect(shown.output.hasPrefix("Job 1: 1.pdf\ncancelled: upload, attempt 1\n"))
      #expect(shown.output.contains("upload 1 failed after 1s: HTTP 422: invoice number is taken\n"))
      #expect(shown.output.contains("upload cancelled by \(user): wrong file\n"))
      #expect(shown.output.contains("Metadata      author = anna\n"))
      #expect(try await waybill(socket, "show", "1", "--json").output.contains(#""history":[{"at":"#))
    }
  }

  @Test func cancelReportsStorageState() async throws {
    let jobs = InMemoryJobs()
    for number in 1...2 { try await jobs.add(FileName("\(number).pdf"), .begin, .uploads) }
    try await jobs.add(FileName("3.pdf"), .begin)
    try await jobs.add(FileName("4.pdf"))
    try await withControlServer(jobs.operations) { socket in
      let left = try await waybill(socket, "cancel", "1")
      #expect(left.output == "Registration of 1.pdf cancelled by \(user)\nIts object stays at the storage.\n")
      let removed = try await waybill(socket, "cancel", "2", "--remove")
      #expect(removed.output.hasPrefix("Registration of 2.pdf cancelled by \(user)\nIts object is being deleted; "))
      let unsure = try await waybill(socket, "cancel", "3")
      #expect(
        unsure.output.contains(
          "\nWaybill is checking whether its object is at the storage; to see the result: waybill show 3"))
      let nothing = try await waybill(socket, "cancel", "4", "--remove", "--reason", "wrong")
      #expect(nothing.output == "Upload of 4.pdf cancelled by \(user)\nNothing of the job was sent to the storage.\n")
      #expect(try await waybill(socket, "show", "1").output.contains("At storage    object-left\n"))
      #expect(try await waybill(socket, "show", "2").output.contains("At storage    pending"))
      #expect(!(try await waybill(socket, "show", "4").output.contains("At storage")))
    }
  }

  @Test func reportsRefusalsAndCompletesOtherJobs() async throws {
    try await withControlServer(try await jobs(2).operations) { socket in
      _ = try await waybill(socket, "confirm", "1")
      let result = try await waybill(socket, "confirm", "1", "2", "99")
      #expect(result.status == 1 && result.output == "2: 2.pdf queued for upload\n")
      #expect(result.errors.contains("waybill: 1: job 1 was confirmed by \(user) at 2026-11-21T"))
      #expect(result.errors.contains("; it cannot be confirmed\n"))
      #expect(result.errors.contains("waybill: 99: There is no job 99\n"))
      #expect(try await waybill(socket, "show", "99").status == 1)
    }
  }

  @Test(arguments: [
    ("confirm", "2", "To start it again: waybill retry 2"), ("discard", "1", "Stop it first: waybill cancel 1"),
    ("cancel", "2", nil),
  ])
  func refusalSuggestsFittingCommand(command: String, job: String, advice: String?) async throws {
    try await withControlServer(try await jobs(2).operations) { socket in
      #expect(try await waybill(socket, "cancel", "2").status == 0)
      let words = [command, job] + (command == "discard" ? ["--yes"] : [])
      let result = try await waybill(socket, words)
      #expect(
        result.status == 1
          && result.errors.contains("; it cannot be \(command == "cancel" ? "cancelled" : command + "ed")"), "\(result)"
      )
      #expect(advice.map { result.errors.hasSuffix(". \($0)\n") } ?? !result.errors.contains("waybill "), "\(result)")
    }
  }

  @Test(arguments: [("back/here", FileManager.default.currentDirectoryPath + "/back/here"), ("/srv/back", "/srv/back")])
  func releaseResolvesRelativeDirectory(typed: String, sent: String) throws {
    #expect(try ReleaseCommand.parse(["1", "--to", typed]).command == .release(to: sent))
  }

  @Test func tableFitsAndColoursTerminalOnly() async throws {
    let jobs = InMemoryJobs()
    try await jobs.add(FileName(String(repeating: "long name ", count: 20)), .begin, .asks)
    try await withControlServer(jobs.operations) { socket in
      let plain = try await onTerminal(socket, "list", environment: ["NO_COLOR": "1"])
      let lines = plain.output.split(separator: "\r\n")
      #expect(
        lines.count == 2 && lines[1].count <= 60 && lines[1].contains("…") && !lines[1].contains("\u{1B}"), "\(plain)")
      let coloured = try await onTerminal(socket, "list")
      #expect(coloured.output.contains("\u{1B}[33mawaiting"), "\(coloured)")
      let piped = try await waybill(socket, "list").output
      #expect(!piped.contains("\u{1B}") && piped.contains(String(repeating: "long name ", count: 20)))
    }
  }

  @Test(arguments: [
    ["frobnicate"], ["list", "--frob"], ["list", "--state", "queud"], ["list", "--limit", "x"], ["show"],
    ["confirm"], ["show", ""], ["show", "1.pdf"], ["cancel", "1", "1.pdf"],
    ["confirm", "1", "--all"], ["confirm", "--all", "--state", "queued"],
    ["confirm", "1", "2", "--link", "s3://a/b"], ["cancel", "1", "--link", "x"], ["list", "--since", "tomorrow"],
    ["release", "1"], ["release", "--to", "/x"], ["release", "1", "--to", ""], ["discard"],
    ["discard", "1", "--all", "--yes"], ["add", "x", "--meta", "id=1"], ["add", "x", "--meta", "waybill-id=1"],
    ["status", "--socket", "/a", "--instance", "b"], ["status", "--instance", "a/b"], ["log", "--event", "questoin"],
  ])
  func usageErrorsExit64(arguments: [String]) async throws {
    let result = try await Command.run([Products.command] + arguments)
    #expect(result.status == 64 && result.output.isEmpty && !result.errors.isEmpty)
  }

  @Test(arguments: [
    ["/etc/hostname", "--name", ".hidden"], ["/"], ["/etc/hostname", "--name", "a/.b"], ["/etc/hostname", "/etc"],
  ])
  func refusedFileNameOmitsUsage(_ arguments: [String]) async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let refused = try await waybill(socket, ["add"] + arguments)
      #expect(refused.status == 64 && refused.errors.hasPrefix("waybill: "), "\(refused)")
      #expect(!refused.errors.contains("Usage"), "\(refused)")
    }
  }

  @Test func optionsMayStandBeforeCommand() {
    #expect(LeadingOptions.moved(["--socket", "/s", "spool", "list"]) == ["spool", "list", "--socket", "/s"])
    #expect(LeadingOptions.moved(["--instance=b", "show", "1"]) == ["show", "--instance=b", "1"])
    #expect(LeadingOptions.moved(["--json", "spool"]) == ["spool", "--json"])
    #expect(LeadingOptions.moved(["--instance", "b", "help", "show"]) == ["help", "show"])
  }

  @Test func fullDiskFailsTheCommand() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let words = "\(Products.command) list --json --socket \(socket) > /dev/full"
      let list = try await Command.run(["/bin/sh", "-c", words])
      #expect(list.status == 1 && list.errors.contains("cannot write to standard output"), "\(list)")
    }
  }

  @Test func missingDaemonNamesServiceUnit() async throws {
    let result = try await Command.run([Products.command, "status", "--socket", "/nonexistent/waybill.sock"])
    #expect(result.status == 69 && result.errors.contains("nothing listens there. See systemctl status waybill,"))
    let follow = try await Command.run([Products.command, "log", "--follow", "--socket", "/nonexistent/waybill.sock"])
    #expect(follow.status == 69 && follow.errors.contains("systemctl status waybill"))
    let instance = try await Command.run([Products.command, "list", "--instance", "no-such"])
    #expect(instance.status == 69 && instance.errors.contains("/run/waybill-no-such/control.sock"))
    #expect(instance.errors.contains("systemctl status waybill@no-such"))
  }
}

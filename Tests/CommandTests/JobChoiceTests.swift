import ChildProcesses
import ControlAPI
import ControlTesting
import Jobs
import Messages
import Testing

/// Which jobs a command is about, and what it asks before it does much.
@Suite(.slot, .bounded) struct JobChoiceTests {
  @Test func promptNamesGroupAndGivenStates() async throws {
    try await withControlServer(try await jobs(25).operations) { socket in
      let group = try await onTerminal(socket, "cancel --group 1", input: "n\n")
      #expect(group.output.contains("Cancel 25 jobs of group 1 ("), "\(group)")
      let named = try await onTerminal(socket, "cancel --name '*.pdf'", input: "n\n")
      #expect(named.output.contains("Cancel 25 jobs named like '*.pdf'? [y/N]"), "\(named)")
      let state = try await onTerminal(socket, "confirm --state awaiting-confirmation", input: "n\n")
      #expect(state.output.contains("Confirm 25 jobs (awaiting confirmation)? [y/N]"), "\(state)")
    }
  }

  @Test func filterOrAllSelectsJobs() async throws {
    try await withControlServer(try await jobs(3).operations) { socket in
      #expect(try await waybill(socket, "confirm", "--name", "2*").output == "1 job confirmed\n")
      let some = try await waybill(socket, "cancel", "--all").output
      #expect(some == "2 jobs cancelled\n", "what is asked, and no other")
      #expect(try await waybill(socket, "retry", "--all").output == "0 jobs queued again\n", "nothing was aborted")
      let unnamed = try await waybill(socket, "retry", "--name", "*.pdf")
      #expect(unnamed.output == "0 jobs queued again\n", "nor named")
      #expect(
        try await waybill(socket, "retry", "--state", "cancelled", "--error", "rejected").output
          == "2 jobs queued again\n")
      let none = try await waybill(socket, "confirm", "--all")
      #expect(none.status == 0 && none.output == "0 jobs confirmed\n" && none.errors.isEmpty, "\(none)")
    }
  }

  /// One refused job is enough for a status that a script notices. Jobs in states that the command is not for are none.
  @Test(arguments: [(1, true, 1), (0, true, 1), (1, false, 0), (0, false, 1)])
  func refusedJobFailsCommandForMany(_ done: Int, _ isRefused: Bool, _ status: Int32) async throws {
    var operations = InMemoryJobs().operations
    operations.bulkAnswer = { _, _ in
      let refused = BulkAnswer.Refused(.number(JobNumber(rawValue: 2)), detail: .text("the disk is full"))
      return isRefused
        ? BulkAnswer(done: done, refused: 1, refusals: [refused])
        : BulkAnswer(done: done, refused: 1, refusals: [], left: ["queued": 1])
    }
    try await withControlServer(operations) { socket in
      let command = try await waybill(socket, "confirm", "--name", "*.pdf")
      #expect(command.status == status && command.errors.contains("2: the disk is full") == isRefused, "\(command)")
    }
  }

  @Test func discardAsksFirst() async throws {
    let jobs = try await jobs(4)
    try await withControlServer(jobs.operations) { socket in
      _ = try await waybill(socket, "cancel", "--all", "--yes")
      let unasked = try await waybill(socket, "discard", "1")
      #expect(
        unasked.status == 64
          && unasked.errors == "waybill: discard of 1 job asks first, as always; without a terminal it needs --yes\n",
        "no usage: the arguments are right")
      let no = try await onTerminal(socket, "discard 1 2", input: "n\n")
      #expect(no.status == 1 && no.output.contains("Delete the files of 2 jobs for good? [y/N] "), "\(no)")
      #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .cancelled)
      let yes = try await onTerminal(socket, "discard 1", input: "y\n")
      #expect(yes.status == 0 && yes.output.contains("Delete the file for good? [y/N] "), "\(yes)")
      #expect(yes.output.contains("1.pdf discarded by \(user)"))
      #expect(try await waybill(socket, "discard", "--name", "2*", "--yes").output == "1 job discarded\n")
      let all = try await onTerminal(socket, "discard --all", input: "y\n")
      #expect(all.output.contains("Delete the files of 2 jobs (aborted or cancelled) for good?"), "\(all)")
      #expect(all.output.contains("2 jobs discarded"))
    }
  }

  @Test func bulkPromptShowsCountAndFilter() async throws {
    let jobs = try await jobs(20)
    try await withControlServer(jobs.operations) { socket in
      let unasked = try await waybill(socket, "cancel", "--error", "rejected")
      #expect(
        unasked.status == 64
          && unasked.errors
            == "waybill: cancel of 20 jobs asks first, as it does from 20 jobs on; without a terminal it needs --yes\n",
        "\(unasked)")
      let group = try await waybill(socket, "cancel", "--group", "1")
      #expect(group.status == 64 && group.errors.hasPrefix("waybill: cancel of 20 jobs asks first about a group"))
      let retry = try await waybill(socket, "retry", "--group", "1", "--dry-run").output
      #expect(retry.contains("retry would affect 20 jobs"), "who names a group names its state: \(retry)")
      let no = try await onTerminal(socket, "cancel --error rejected --state awaiting-confirmation", input: "\n")
      #expect(
        no.status == 1
          && no.output.contains("Cancel 20 jobs with 'rejected' in the reason (awaiting confirmation)? [y/N] ")
          && no.output.contains("nothing was cancelled"), "\(no)")
      let dry = try await waybill(socket, "cancel", "--all", "--remove", "--dry-run")
      #expect(dry.status == 0 && dry.output.contains("20.pdf") && dry.output.contains("cancel would affect 20 jobs"))
      #expect(await jobs.job(JobNumber(rawValue: 1))?.state == .awaitingConfirmation)
      let removal = try await onTerminal(socket, "cancel 1 2 --remove", input: "n\n")
      #expect(removal.output.contains("Cancel 2 jobs, and delete their uploaded objects? [y/N] "), "\(removal)")
      let yes = try await onTerminal(socket, "cancel --all --remove", input: "y\n")
      #expect(yes.status == 0 && yes.output.contains("20 jobs cancelled"), "\(yes)")
    }
  }

  @Test func dryRunStopsAtHundred() async throws {
    let jobs = try await jobs(1234)
    try await withControlServer(jobs.operations) { socket in
      let dry = try await waybill(socket, "cancel", "--all", "--dry-run")
      let lines = dry.output.split(separator: "\n")
      #expect(lines.count == 1 + 100 + 2, "\(lines.count)")
      #expect(
        lines.suffix(2) == ["and 1,134 more", "cancel would affect 1,234 jobs; nothing was done."], "\(lines.suffix(2))"
      )
    }
  }
}

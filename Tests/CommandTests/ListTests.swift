import ChildProcesses
import ControlAPI
import ControlTesting
import Jobs
import Testing

@Suite(.slot, .bounded) struct ListTests {
  @Test func listFiltersLimitsAndShowsReasons() async throws {
    let jobs = try await jobs(2)
    try await jobs.add(FileName("other.txt"))
    try await withControlServer(jobs.operations) { socket in
      let list = try await waybill(socket, "list", "--state", "awaiting-confirmation,aborted", "--name", "*.pdf")
      let lines = list.output.split(separator: "\n")
      #expect(lines.count == 3 && lines[0].hasPrefix("JOB  STATE "))
      #expect(lines[1].contains("  1.pdf  HTTP 422: invoice number is taken"))
      #expect(
        try await waybill(socket, "list", "--spool", "other").output.hasPrefix("No jobs: there is no spool 'other'; "))
      #expect(try await waybill(socket, "list", "--step", "register").output == "No jobs.\n")
      #expect(try await waybill(socket, "list", "--since", "1h", "--until", "1s").status == 0)
      let json = try await waybill(socket, "list", "--json", "--limit", "2")
      #expect(json.output.contains(#""job":2,"#) && json.output.contains(#""job":3,"#))
      #expect(!json.output.contains(#""job":1,"#) && json.output.hasSuffix(#""next":"j2"}"# + "\n"))
    }
  }

  @Test func listShowsExactStateAndFindsPhases() async throws {
    let jobs = try await jobs(1)
    try await jobs.add(FileName("b.pdf"), .begin, .aborts)
    try await jobs.add(FileName("c.pdf"))
    try await jobs.add(FileName("d.pdf"), .begin, .uploads, .begin)
    try await withControlServer(jobs.operations) { socket in
      let list = try await waybill(socket, "list").output.split(separator: "\n")
      #expect(list[0].split(separator: " ") == ["JOB", "STATE", "AGE", "NAME", "REASON"])
      #expect(list[1].contains("1  awaiting confirmation: upload  "), "\(list)")
      #expect(list[2].contains("2  aborted    "), "\(list)")
      #expect(list[3].contains("3  queued: upload    "), "\(list)")
      #expect(list[4].contains("4  active: registration    "), "\(list)")
      for (words, number) in [("awaiting confirmation", "1"), ("stopped", "2"), ("working,stopped", "4")] {
        let some = try await waybill(socket, "list", "--state", words).output.split(separator: "\n")
        #expect(some.last?.split(separator: " ").first == Substring(number), "\(some)")
      }
      let unknown = try await waybill(socket, "list", "--state", "asleep")
      #expect(
        unknown.status == 64 && unknown.errors.contains("The states are: waiting, working, needs-you, "), "\(unknown)")
    }
  }

  /// A program must not lose jobs because nobody told it of a limit.
  @Test func showsLastHundredOrAllPages() async throws {
    let jobs = InMemoryJobs()
    for number in 1...2500 { try await jobs.add(FileName("\(number).pdf")) }
    try await withControlServer(jobs.operations) { socket in
      let all = try await waybill(socket, "list", "--limit", "all")
      #expect(all.output.split(separator: "\n").count == 2500 + 3 && all.errors.isEmpty, "\(all.errors)")
      #expect(try await waybill(socket, "list", "--limit", "1200").output.split(separator: "\n").count == 1200 + 1)
      #expect(try await waybill(socket, "list", "--limit", "0").status == 64)
      #expect(try await waybill(socket, "list", "--by", "reason", "--limit", "0").status == 64)
      #expect(try await waybill(socket, "log", "-n", "0").output.isEmpty, "there are events")
      let list = try await waybill(socket, "list")
      let lines = list.output.split(separator: "\n")
      #expect(lines.count == 1 + 100 && lines[1].contains(" 2401.pdf") && lines[100].contains(" 2500.pdf"), "\(lines)")
      #expect(list.errors == "waybill: the last 100 jobs; there are more: --limit all\n", "\(list.errors)")
      let json = try await waybill(socket, "list", "--json").output
      #expect(json.contains(#""name":"1.pdf","#) && json.contains(#""name":"2500.pdf","#))
      #expect(json.hasSuffix(#""next":null}"# + "\n"))
    }
  }
}

import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill` as scripts use it: JSON on standard output, and exit statuses that say what happened.
@Suite(.slot)
struct OperatorTests {
  @Test func readCommandsPrintJSON() async throws {
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      try await rig.drop("a.pdf", until: "awaiting-confirmation")
      let status = try await rig.daemon.waybill("status", "--json")
      #expect(status.status == 0)
      let values = try JSONValue(parsing: status.output)
      #expect(values.counts["awaiting-confirmation"] == 1)
      #expect(values.activity.upload == 0)
      #expect(values.spools.array.map(\.name) == ["documents"])
      #expect(values.version.string != nil)
      let list = try await rig.daemon.waybill("list", "--json")
      #expect(list.status == 0)
      let jobs = try JSONValue(parsing: list.output)
      #expect((jobs.has("jobs") ? jobs.jobs.array : jobs.array).map(\.name) == ["a.pdf"])
      let show = try await rig.daemon.waybill("show", "1", "--json")
      #expect(show.status == 0)
      let job = try JSONValue(parsing: show.output)
      #expect(job == (try await rig.daemon.job(1)))
      let members = [
        "job", "id", "revision", "spool", "name", "path", "size", "step", "state", "held_by", "attempt", "question",
        "error", "next_attempt_at", "link", "remote", "created_at", "updated_at", "finished_at", "disposed_at", "key",
        "sha256", "holds", "receipts", "attempts", "metadata", "history",
      ]
      for member in members { #expect(job.has(member), "\(member)") }
      #expect(try await rig.daemon.waybill("show", job.id.string ?? "", "--json").status == 0, "by its id too")
    }
  }
}

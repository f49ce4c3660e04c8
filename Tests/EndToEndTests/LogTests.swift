import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `waybill log`, and what holds a job, with the real daemon.
@Suite(.slot)
struct LogTests {
  @Test func logReportsEventsAndUsers() async throws {
    let user = try await OwnUser.name
    try await withRig(faults: ["upload": ["status": 599]]) { rig in
      func log(_ words: String...) async throws -> [String] {
        let log = try await rig.daemon.waybill(["log"] + words)
        #expect(log.status == 0, "\(log)")
        return log.output.split(separator: "\n").map { String($0.drop { $0 != " " }.dropFirst()) }
      }
      for name in ["a.pdf", "b.pdf"] { try await rig.drop(name, until: "awaiting-confirmation") }
      #expect(try await rig.daemon.waybill("pause", "--spool", "documents").status == 0)
      #expect(try await rig.daemon.waybill("cancel", "1", "--reason", "sent twice").status == 0)
      #expect(try await rig.daemon.waybill("resume", "--spool", "documents").status == 0)
      // The end of the cleanup is logged too.
      try await until("nothing to be owed for the cancelled job") { try await rig.daemon.job(1).remote == "clean" }
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "2").status == 0)
      try await rig.daemon.job(named: "b.pdf", in: "registered")

      let people = [
        "- spool.documents paused by \(user)", "1 Upload of a.pdf cancelled by \(user): sent twice",
        "- spool.documents resumed by \(user)", "2 Upload of b.pdf confirmed by \(user)",
      ]
      #expect(try await log("--by", user) == people)
      #expect(try await log("--by", "*", "--since", "1h") == people)
      let uid = try await Command.require(["id", "-u"]).split(separator: "\n").first.map(String.init) ?? ""
      #expect(try await log("--by", uid, "-n", "1") == people.suffix(1))
      #expect(try await log("--by", user, "--event", "cancelled") == [people[1]])
      let all = try await log()
      #expect(all.first == "1 a.pdf admitted as job 1" && all.last == "2 b.pdf uploaded and registered", "\(all)")
      #expect(Set(people).isSubset(of: all))
      #expect(try await log("--name", "A.PDF") == all.filter { $0.hasPrefix("1 ") })
      #expect(try await log("--destination", "backend.main") == ["2 b.pdf uploaded and registered"])
      #expect(try await log("--spool", "documents").count == all.count(where: { !$0.hasPrefix("- storage") }))
      #expect(try await log("--until", "1h") == ["events."], "none; the first word is cut off")

      #expect(try await rig.daemon.waybill("reload").status == 0)
      let reloads = try await until("the reload to be logged") {
        let reloads = try await log("--event", "reloaded")
        return reloads.isEmpty || reloads == ["events."] ? nil : reloads
      }
      #expect(reloads.count == 1 && reloads[0].hasPrefix("- configuration reloaded"))
      #expect(reloads[0].hasSuffix("(asked for by \(user))"), "\(reloads)")

      // The log is the ledger's: it is there after a restart.
      _ = try await rig.daemon.stop()
      try await rig.daemon.start()
      #expect(try await log("--by", user) == people + reloads)
    }
  }
}

import ChildProcesses
import Foundation
import Linux
import Seams
import Testing

@testable import Harness

/// The power goes at a named place, or at any moment, on file systems as machines have them.
@Suite(
  .slot, .serialized,
  .needs(.loop, .fuse))
struct PowerCutMomentTests {
  private static let points: [Failpoint] = [
    .claimRenamed, .claimSynced, .adoptRenamed, .adoptSynced, .admissionCommitting, .admissionCommitted,
    .ledgerCommitted, .linkCommitting, .linkCommitted, .receiptCommitting, .receiptCommitted, .fileRemoved,
    .disposalCommitting,
  ]

  /// Adds files; gives the ids of those that were taken for durable.
  private func add(_ names: [String], to power: PowerRig) async throws -> Set<String> {
    var added: Set<String> = []
    for name in names {
      let file = power.rig.folder.appending(path: name)
      try Data(name.utf8).write(to: file)
      let answer = try await Command.run(
        [Products.command, "add", "--json", file.path], environment: ["WAYBILL_SOCKET": power.rig.setup.socket])
      guard answer.status == 0 else { continue }
      added.insert(try JSONValue(parsing: answer.output).added.array.first?.id.string ?? "?")
    }
    return added
  }

  /// Everything that was durable is registered once, and nothing else but what was on its way.
  private func expect(_ added: Set<String>, atMost names: Int, _ power: PowerRig) async throws {
    try await until("all to be registered") {
      let ids = try power.sandbox.registrations().compactMap(\.body.id.string)
      return added.isSubset(of: ids)
    }
    for _ in 1...2 { try await power.daemon.nextScan() }
    try await until("all to be at rest") {
      let jobs = try await power.daemon.jobs()
      return jobs.allSatisfy { $0.state == "registered" && !$0.disposed_at.isNull }
    }
    let words = try power.daemon.errorText
    let bodies = try power.sandbox.registrations().map(\.body)
    #expect(Set(bodies.map(\.id.string)).count == bodies.count, "each id once")
    #expect(
      Set(bodies.map(\.name.string)).count == bodies.count,
      "each file once: \(bodies.map { "\($0.id) \($0.name)" }) of \(added); \(words)")
    #expect(bodies.count <= names)
    #expect(try await power.sandbox.objects().count == bodies.count)
    #expect(try power.rig.filesLeft() == [])
  }

  @Test(arguments: points) func cutAtFailpointLosesNothing(_ point: Failpoint) async throws {
    try await withPowerRig(spoolIsForgetful: false) { power in
      try await power.daemon.start()
      let first = try await add(["before.pdf"], to: power)
      try await power.wait(for: 1, "registered")
      _ = try await power.daemon.stop()
      // the first commits are of the start
      let turn = point == .ledgerCommitted ? ":6" : ""
      let doomed = Daemon(power.rig.setup, environment: ["WAYBILL_FAILPOINT": point.rawValue + turn])
      try await doomed.start()
      let names = (1...3).map { "\($0).pdf" }
      let added = try await add(names, to: power)
      _ = try await doomed.child().end()
      try await power.cutDisks()
      try await power.daemon.start()
      try await expect(first.union(added), atMost: 1 + names.count, power)
    }
  }

  @Test func cutAtAnyMomentLosesNothing() async throws {
    try await withPowerRig(spoolIsForgetful: false) { power in
      var added: Set<String> = []
      var count = 0
      var random = Seeds.numbers()
      for round in 1...4 {
        try await power.daemon.start()
        let names = (1...8).map { "\(round)-\($0).pdf" }
        count += names.count
        async let dropping = add(names, to: power)
        try await Task.sleep(for: .milliseconds(Int.random(in: 20...600, using: &random)))
        try await power.daemon.kill()
        added.formUnion(try await dropping)
        try await power.cutDisks()
      }
      try await power.daemon.start()
      try await expect(added, atMost: count, power)
    }
  }
}

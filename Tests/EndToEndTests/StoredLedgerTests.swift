import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The ledgers of releases since 1.0, with rows of each kind (`Tests/Support/store-ledger.py`): this version has all that the release had,
/// and finishes its jobs.
@Suite(.slot) struct StoredLedgerTests {
  private static let folder = Products.source("Tests/Compatibility")
  private static let archives =
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.filter { $0.hasSuffix(".tar.xz") }.sorted() ?? []
  /// The states that only a person ends.
  private static let ends: Set = ["registered", "skipped", "discarded", "cancelled", "aborted"]
  private static let waits = ["awaiting-confirmation", "awaiting-credentials", "awaiting-network", "deferred"]
  /// What a start may change of a job that does not move: its file is in another place, and cleanups at the storage go on.
  private static let movable: Set = ["path", "remote", "cleanup", "holds", "updated_at", "revision", "history"]

  @Test(arguments: archives) func releasedLedgerLosesNothing(_ archive: String) async throws {
    let folder = try TemporaryFolder()
    try await Command.require([
      "tar", "-C", folder.path, "--xattrs", "--no-same-owner", "-xJf", "\(Self.folder)/\(archive)",
    ])
    func text(_ name: String) throws -> String {
      try String(contentsOf: folder.url.appending(path: name), encoding: .utf8)
    }
    let before = try JSONValue(parsing: try text("jobs.json")).jobs.array
    let sandbox = try await Sandbox(in: folder.url)
    defer { sandbox.cut() }
    let setup = DaemonSetup(folder: folder.url, storage: sandbox.storage, backend: sandbox.backend)
    let places = ["folder": folder.path, "control": setup.socket]
    let configuration = try text("waybill.toml").replacing(/@(\w+)@/) {
      places[String($0.1)] ?? "127.0.0.1:\(sandbox.port)"
    }
    try configuration.write(to: setup.config, atomically: true, encoding: .utf8)
    try setup.writeConstants()
    // Cleanups that the release had put off for minutes are due, also right after the archive was made.
    let clock = try await WallClock(in: folder.url)
    try clock.set(hours: 0.2)
    let daemon = Daemon(setup, environment: clock.variables)
    defer { daemon.cut() }
    try await daemon.start()
    #expect(try await daemon.status().pauses.array.map(\.destination) == ["spool.paused"])
    for job in before { try await expect(job, in: daemon) }

    #expect(try await daemon.waybill("resume", "--spool", "paused").status == 0)
    let jobs = try await until("every job to end") {
      for state in Self.waits {
        _ = try await daemon.control("POST", "/v1/jobs/retry", body: #"{"state":"\#(state)"}"#)
      }
      let jobs = try await daemon.jobs()
      return jobs.allSatisfy { Self.ends.contains($0.state.string ?? "") } ? jobs : nil
    }
    let states = Dictionary(uniqueKeysWithValues: jobs.map { ($0.job.int, $0.state) })
    for job in before {
      let wanted = Self.ends.contains(job.state.string ?? "") ? job.state : "registered"
      #expect(states[job.job.int] == wanted, "\(job)")
    }
    // Files that stay in their spool are other files after the copy; their bytes are known.
    #expect(jobs.dropFirst(before.count).allSatisfy { $0.spool == "card" && $0.state == "skipped" })
    for job in jobs where job.state == "cancelled" || job.state == "aborted" {
      #expect(job.existingPath != nil, "\(job)")
    }
    let registered = jobs.filter { $0.state == "registered" }.map { $0.id.string ?? "" }
    #expect(try sandbox.registrations().map { $0.body.id.string ?? "" }.sorted() == registered.sorted())
    try await until("the cleanups") { try await daemon.cleanups() == 0 }
    #expect(try await sandbox.state().uploads == [])
    #expect(try await daemon.stop() == .exit(0))
    let words = "\(Products.daemon) ledger check --config \(setup.config.path)"
    let check = try await Command.run(["/bin/sh", "-c", "\(words) && ! \(words) > /dev/full"])
    #expect(check.status == 0 && check.errors.contains("cannot write to standard output"), "\(check)")
  }

  /// Each member that the release told of a job is there, with the same value if the job does not move by itself.
  private func expect(_ job: JSONValue, in daemon: Daemon) async throws {
    let state = job.state.string ?? ""
    let now = try await daemon.job(try #require(job.job.int))
    let stays = Self.ends.contains(state) || state == "awaiting-confirmation"
    let fixed: Set = ["job", "id", "spool", "name", "key", "size", "metadata", "created_at"]
    for (name, value) in job.members where stays ? !Self.movable.contains(name) : fixed.contains(name) {
      #expect(now[name] == value, "\(name) of \(job)")
    }
    #expect(now.history.array.starts(with: job.history.array), "\(job.history) then \(now.history)")
    // Only the last answer is kept, and none once an attempt has succeeded.
    func attempts(_ job: JSONValue) -> [[JSONValue]] {
      job.attempts.array.map { [$0.step, $0.attempt, $0.started_at, $0.ended_at, $0.outcome, $0.error.message] }
    }
    #expect(attempts(now).starts(with: attempts(job)), "\(job.attempts) then \(now.attempts)")
  }
}

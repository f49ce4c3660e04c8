import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that are written to after they were claimed: nothing of what was written is lost, or sent as what it is not.
@Suite(.slot)
struct RewrittenFileTests {
  private func append(_ text: String, to job: JSONValue) throws {
    let file = try #require(FileHandle(forWritingAtPath: job.path.string ?? ""))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  private func uploaded(_ rig: Rig) async throws -> JSONValue {
    try rig.drop("a.txt", Data("one".utf8))
    return try await rig.daemon.job(named: "a.txt", in: "awaiting-confirmation")
  }

  private func register(_ rig: Rig) async throws {
    try await rig.sandbox.recover()
    #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
    try await until("the registration") { try await rig.daemon.job(1).state == "registered" }
  }

  /// Name and size of each registration, in their order, and what the storage holds under their keys.
  private func far(_ rig: Rig) async throws -> [String] {
    let objects = try await rig.sandbox.objects()
    return try rig.sandbox.registrations().map { line in
      let body = line.body
      let object = objects[body.key.string ?? ""] ?? .null
      return "\(body.job) \(body.name.string ?? "?") \(body.size) \(object.size) \(object.sha256 == body.sha256)"
    }
  }

  @Test func changeAfterUploadBecomesNewJob() async throws {
    try await withRig(faults: ["register": ["status": 599]], journal: Capability.journald.isThere) { rig in
      try append("two", to: try await uploaded(rig))
      try await register(rig)
      try await until("both to be registered") { try await rig.daemon.count("registered") == 2 }
      try await rig.untilDisposed()
      #expect(try await far(rig) == ["1 a.txt 3 3 true", "2 a.txt 6 6 true"])
      #expect(Set(try rig.sandbox.registrations().map(\.body.id)).count == 2)
      #expect(try rig.filesLeft() == [])
      guard let journal = rig.journal else { return }
      let problem = try await journal.entry("WAYBILL_EVENT=spool-problem")
      #expect(
        problem.WAYBILL_REASON
          == "a.txt was written to after job 1 had uploaded it: it is kept, and has become job 2")
      #expect(try await journal.entries("WAYBILL_EVENT=spool-problem").count == 1)
    }
  }

  /// State and spool may move to another disk or host: a copy has another inode and another ctime, and is the same file. One
  /// whose bytes are others is not, although size and time say so.
  @Test(arguments: ["copied", "given another mode", "copied with other bytes"])
  func touchedFileIsComparedByBytes(how: String) async throws {
    try await withRig(faults: ["register": ["status": 599]]) { rig in
      let path = try #require(try await uploaded(rig).path.string)
      #expect(try await rig.daemon.stop() == .exit(0))
      let script =
        switch how {
        case "copied": #"cp -p "$1" "$1.copy"; mv "$1.copy" "$1""#
        case "given another mode": #"chmod 0604 "$1""#
        default: #"printf two > "$1.copy"; touch -r "$1" "$1.copy"; mv "$1.copy" "$1""#
        }
      try await Command.require(["sh", "-ec", script, "_", path])
      try await rig.daemon.start()
      try await register(rig)
      try await rig.untilDisposed()
      let further = how == "copied with other bytes" ? ["2 a.txt 3 3 true"] : []
      #expect(try await far(rig) == ["1 a.txt 3 3 true"] + further)
      #expect(try rig.filesLeft() == [])
    }
  }
}

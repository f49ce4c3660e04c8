import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// The image in containers of a real runtime (runc), unpacked by a real reader of images (umoci).
@Suite(.slot, .needs(.container, .umoci))
struct ContainerTests {
  private func withContainer(_ body: (Container, Sandbox) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let sandbox = try await Sandbox(in: folder.url)
    let container = try await Container(in: folder.url, sandbox)
    do {
      try await body(container, sandbox)
    } catch {
      Issue.record("\(error)\n\(container.errorText.suffix(3000))")
    }
    await container.remove()
  }

  @Test func registersFilesAndStopsOnTERM() async throws {
    try await withContainer { container, sandbox in
      try container.start()
      try await container.isReady()
      try container.drop("a.pdf")
      try await until("the registration") { try sandbox.registrations().map(\.body.name.string) == ["a.pdf"] }
      // The backend knows of a registration before the ledger does.
      try await until("the entry") { try container.entries().contains { $0.WAYBILL_EVENT.string == "registered" } }
      #expect(try await container.probe("/healthz").status == 200)
      #expect(try await container.probe("/metrics").body.contains("waybill_jobs{"))

      try await container.kill("TERM")
      #expect(try await container.end() == .exit(0))
      let entries = try container.entries()
      #expect(
        entries.compactMap(\.WAYBILL_EVENT.string).filter { $0 != "activity" } == ["started", "registered", "stopping"])
      let registered = try #require(entries.first { $0.WAYBILL_EVENT.string == "registered" })
      #expect(registered.WAYBILL_FILE.string == "a.pdf" && registered.SYSLOG_IDENTIFIER.string == "waybilld")
      #expect(registered.PRIORITY.string == "6" && registered.MESSAGE_ID.string?.count == 32)
    }
  }

  /// The kernel ends all of a container with its first process.
  @Test func releasesIntoVolumesAndResumesAfterKill() async throws {
    try await withContainer { container, sandbox in
      try await sandbox.fail(["register": ["status": 422]])
      try container.start()
      try await container.isReady()
      try container.drop("a.pdf")
      try await until("the question") { try container.entries().contains { $0.WAYBILL_EVENT.string == "question" } }
      let id = try #require(try container.entries().first { $0.WAYBILL_EVENT.string == "question" }?.WAYBILL_ID.string)
      try container.drop("b.pdf")
      try await until("the other question") {
        try container.entries().count { $0.WAYBILL_EVENT.string == "question" } == 2
      }
      // A directory that goes with the container does not get a file that is given back; a volume does.
      #expect(try await container.run("/usr/bin/waybill", "cancel", "2").status == 0)
      for path in ["/tmp", "/var/tmp", "/etc", "/none"] {
        let refused = try await container.run("/usr/bin/waybill", "release", "2", "--to", path)
        #expect(refused.status == 1 && !refused.errors.isEmpty, "\(path): \(refused)")
      }
      let released = try await container.run("/usr/bin/waybill", "release", "2", "--to", "/back")
      #expect(released.status == 0, "\(released)")
      #expect(try container.givenBack() == ["b.pdf"])

      try await container.kill("KILL")
      #expect(try await container.end() != .exit(0))
      try await sandbox.recover()
      try container.start()
      try await container.isReady()
      #expect(try await container.run("/usr/bin/waybill", "confirm", "1").status == 0)
      try await until("the registration") { try sandbox.registrations().map(\.body.id.string) == [id] }
      try await container.kill("TERM")
      #expect(try await container.end() == .exit(0))
    }
  }
}

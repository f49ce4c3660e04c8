import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A shared file system whose operations fail now and then, each kind of them, with each error that a file server gives for a
/// while. Nobody is asked, and nothing is started again: the daemon tries until it works.
@Suite(.slot) struct FailingDiskTests {
  /// The errors of ``FileError/mayPass`` that file servers and their clients give most. The suite takes two of them, a hunt others.
  static let errors = ["EIO", "ESTALE", "ENOLCK", "EINTR", "ENOSPC", "ETIMEDOUT"].enumerated()
    .filter { Seeds.takes($0.offset, of: 3) }.map(\.element)

  @Test(.needs(.fuse), arguments: errors)
  func takeoverSurvivesAnyFailedOperation(_ errno: String) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let disk = try await FickleDisk("failing", in: folder.url, slowness: 0)
    do {
      try await takeOver(on: disk, errno)
    } catch {
      await disk.unmount()
      throw error
    }
    await disk.unmount()
  }

  private func takeOver(on disk: FickleDisk, _ errno: String) async throws {
    try await withHosts(faults: ["register": ["status": 422]]) { setup in
      setup.spoolFolder = disk.url.appending(path: "spool")
      setup.spoolLines += ["scan_interval = \"200ms\""]
      setup.delays = Array(repeating: "300ms", count: 30)
    } _: { hosts in
      let (a, b) = (hosts.daemons[0], hosts.daemons[1])
      try await a.start()
      try await hosts.untilHeld(by: 0)
      // One with a link beside it, one that is stopped, and one that is not stored yet.
      for name in ["stored.pdf", "stopped.pdf"] {
        try hosts.rig.drop(name)
        try await a.job(named: name, in: "awaiting-confirmation")
      }
      let number = try await a.newestJob(named: "stopped.pdf")?.job.int ?? 0
      #expect(try await a.waybill("cancel", "\(number)").status == 0)
      try await hosts.sandbox.fail(["upload": ["status": 500]])
      try hosts.rig.drop("new.pdf")
      try await a.job(named: "new.pdf", in: "deferred")
      try await a.kill()
      try await hosts.sandbox.recover()

      try await disk.fail(errno, times: 2)
      try await b.start()
      for name in ["stored.pdf", "new.pdf"] { try await b.job(named: name, in: "registered") }
      try await b.job(named: "stopped.pdf", in: "cancelled")
      let failed = disk.failures
      #expect(failed.count > 20, "\(errno): \(failed.sorted())")

      // The same while it holds the spool.
      try await disk.fail(errno, times: 2)
      let names = (1...20).map { "\($0).pdf" }
      for name in names { try hosts.rig.drop(name) }
      for name in names { try await b.job(named: name, in: "registered") }
      try await disk.fail(errno, times: 0)
      try await until("all trouble to be over") {
        try await b.status().problems.array == [] && hosts.namesInClaims().count == 3
      }
      #expect(try await b.count("awaiting-confirmation") == 0)
      #expect(try await hosts.faults(names + ["stored.pdf", "new.pdf", "stopped.pdf"], stopped: ["stopped.pdf"]) == [])
      print("\(errno): \(failed.count) kinds of operations failed in the take-over, \(disk.failures.count) in all")
    }
  }
}

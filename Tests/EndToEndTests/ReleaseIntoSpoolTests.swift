import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A file that is given back must not be taken again, by whichever daemon.
@Suite(.slot) struct ReleaseIntoSpoolTests {
  /// The lock is what a daemon of another configuration holds in its spool.
  @Test func refusesSpoolOfOtherInstance() async throws {
    try await withRig(faults: ["upload": ["status": 503, "retry_after": 3600]]) { rig in
      let job = try await rig.drop("scan.pdf", until: "aborted").job.int ?? 0
      let spool = rig.folder.appending(path: "other")
      let below = spool.appending(path: "below")
      try FileManager.default.createDirectory(
        at: spool.appending(path: ".waybill"), withIntermediateDirectories: true)
      try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
      let script = """
        import fcntl, sys
        lock = open(sys.argv[1], "w")
        fcntl.lockf(lock, fcntl.LOCK_EX)
        print("locked", flush=True)
        sys.stdin.read()
        """
      let holder = try ChildProcess(
        [try await Products.python.value, "-c", script, spool.path + "/.waybill/lock"], input: .written,
        folder: rig.folder, log: "holder")
      try await until("the lock") { holder.outputText.contains("locked") }
      for place in [spool.path, below.path] {
        let refused = try await rig.daemon.waybill("release", String(job), "--to", place)
        #expect(
          refused.status == 1
            && refused.errors.contains("\(place) is in the spool of another waybilld, where the file would be taken"),
          "\(refused)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: below.path).isEmpty)
      // a spool that nobody serves any more is a directory like any other
      holder.closeInput()
      try await holder.end()
      #expect(try await rig.daemon.waybill("release", String(job), "--to", spool.path).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: spool.path).contains("scan.pdf"))
    }
  }
}

import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Where an operator may not have files put, by whatever way it is named: what stands there would be read as the daemon's own.
@Suite(.slot, .needs(.mount))
struct ReleasePlacesTests {
  @Test func releaseNeverReachesDaemonDirectories() async throws {
    try await withRig(faults: ["upload": ["status": 503, "retry_after": 3600]]) { rig in
      let job = try await rig.drop("ledger.sqlite-journal", until: "aborted").job.int ?? 0
      let state = rig.setup.state.path
      let spool = rig.setup.spool.path
      let root = rig.folder.appending(path: "ways")
      func make(_ name: String) throws -> String {
        let folder = root.appending(path: name).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
      }
      let below = state + "/below/deep"
      try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
      var mounted: [String] = []
      defer { for path in mounted.reversed() { _ = unsafe umount2(path, Int32(MNT_DETACH)) } }
      func bind(_ source: String, _ name: String) async throws -> String {
        let target = try make(name)
        try await Command.require(["mount", "--bind", source, target])
        mounted.append(target)
        return target
      }
      var ways = [state, below, "\(spool)/.waybill", spool]
      ways.append(try await bind(state, "state"))
      ways.append(try await bind(state, "state with a blank") + "/below")
      // Above what is mounted here there is no directory of the daemon's.
      ways.append(try await bind(below, "below"))
      ways.append(try await bind(state + "/below", "part") + "/deep")
      ways.append(try await bind(spool + "/.waybill", "claims"))
      let link = root.appending(path: "link").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ways[6])
      ways += [link, link + "/.", ways[7] + "/../deep"]
      for way in ways {
        let before = try FileManager.default.contentsOfDirectory(atPath: way).sorted()
        let refused = try await rig.daemon.waybill("release", String(job), "--to", way)
        #expect(refused.status != 0 && refused.errors.contains("; "), "\(way): \(refused)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: way).sorted() == before, "\(way)")
      }
      // A directory of one's own beside them is fine, through a mount as well.
      let own = try await bind(try make("mine"), "yours")
      #expect(try await rig.daemon.waybill("release", String(job), "--to", own).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: own) == ["ledger.sqlite-journal"])
    }
  }
}

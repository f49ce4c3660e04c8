import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Directories that are one unit: all files are uploaded, and registered once.
@Suite(.slot)
struct GroupDirectoryTests {
  private func objects(_ rig: Rig) async throws -> [String: String] {
    try await rig.sandbox.objects().compactMapValues(\.sha256.string)
  }

  @Test func storesAllFilesAndRegistersOnce() async throws {
    try await withRig({ Groups.adjust(&$0) }) { rig in
      let files = try Groups.drop(rig, "run 42")
      let job = try await rig.daemon.job(named: "run 42", in: "registered")
      let prefix = "\(job.id.string ?? "")/run 42/"
      #expect(job.key.string == prefix)
      #expect(job.link.string == "s3://\(rig.setup.storage.bucket)/\(prefix)")
      #expect(job.files == ["stored": 6, "all": 6])
      #expect(job.size.int == files.values.reduce(0) { $0 + $1.count })
      let lines = try rig.sandbox.registrations()
      #expect(lines.count == 1)
      let listed = try #require(lines.first).body.files.array
      #expect(listed.compactMap(\.path.string).sorted() == files.keys.sorted())
      for entry in listed {
        let path = entry.path.string ?? ""
        let data = try #require(files[path])
        #expect(entry.key.string == prefix + path)
        #expect(entry.link.string == "s3://\(rig.setup.storage.bucket)/\(prefix)\(path)")
        #expect(entry.size.int == data.count)
        #expect(try await Bytes.sha256(data) == entry.sha256.string)
        #expect(try await objects(rig)[prefix + path] == Bytes.sha256(data), "\(path)")
      }
      try await until("the group to be gone") { rig.filesInSpool().isEmpty }
      let show = try await rig.daemon.waybill("show", "1")
      #expect(show.output.contains("6 of 6 stored"))
    }
  }

  @Test func claimsGroupOnceMarkedAndUnwritten() async throws {
    try await withRig({ Groups.adjust(&$0, marker: "*.done") }) { rig in
      let folder = rig.setup.spool.appending(path: "run")
      try Groups.make(folder, ["a.bin": Data("a".utf8), "sub/b.bin": Data("b".utf8)])
      try rig.drop("loose.txt", Data("loose".utf8))
      try await until("it to count as incomplete") {
        let waiting = try await rig.daemon.status().spools.array.first?.waiting
        return waiting?.incomplete == 1
      }
      let explained = try await rig.daemon.waybill("explain", folder.path)
      #expect(explained.output.contains("the marker *.done of run is not there"), "\(explained.output)")
      let loose = try await rig.daemon.waybill("explain", rig.setup.spool.path + "/loose.txt")
      #expect(loose.output.contains("takes directories as groups"), "\(loose.output)")

      let writer = try #require(FileHandle(forWritingAtPath: folder.path + "/sub/b.bin"))
      try Data().write(to: folder.appending(path: "run.done"))
      try await until("it to count as open") {
        let waiting = try await rig.daemon.status().spools.array.first?.waiting
        return waiting?.open == 1
      }
      #expect(try await rig.daemon.jobs().isEmpty)
      try writer.seekToEnd()
      try writer.write(contentsOf: Data("bb".utf8))
      try writer.close()
      let job = try await rig.daemon.job(named: "run", in: "registered")
      #expect(job.size.int == 4 && job.files.all == 2)
      #expect(try await objects(rig).count == 2)
    }
  }

  @Test func restartSendsOnlyUnrecordedFiles() async throws {
    try await withRig(starting: false, { Groups.adjust(&$0) }) { rig in
      let files = Dictionary(uniqueKeysWithValues: (0..<60).map { ("d\($0 % 3)/f\($0)", Data("\($0)".utf8)) })
      try Groups.drop(rig, "run", files)
      let child = try rig.daemon.launch(environment: ["WAYBILL_FAILPOINT": "memberStored:30"])
      _ = try await child.end()
      try await rig.daemon.start()
      _ = try await rig.daemon.job(named: "run", in: "registered")
      // The eight at most that were in flight at the kill are looked up, or sent once more.
      let sent = Dictionary(grouping: try await rig.sandbox.recorded("upload"), by: \.target.string)
      #expect(sent.count == 60 && sent.values.allSatisfy { $0.count <= 2 })
      #expect(sent.values.count { $0.count == 2 } <= 8)
      #expect(try await objects(rig).count == 60)
      #expect(try rig.sandbox.registrations().count == 1)
      try await until("the group to be gone") { rig.filesInSpool().isEmpty }
    }
  }

  /// A file that appears after the group was sent was never sent: all of the group is kept and becomes a job of its own.
  @Test func lateFileMakesGroupNewJob() async throws {
    try await withRig(faults: ["register": ["status": 422]], { Groups.adjust(&$0) }) { rig in
      let files = try Groups.drop(rig, "run")
      let job = try await rig.daemon.job(named: "run", in: "awaiting-confirmation")
      try Data("late".utf8).write(to: URL(filePath: (job.path.string ?? "") + "/data/late"))
      try await rig.sandbox.recover()
      #expect(try await rig.daemon.waybill("confirm", "1").status == 0)
      try await until("both to be registered") { try await rig.daemon.count("registered") == 2 }
      let listed = try rig.sandbox.registrations().map { $0.body.files.array.count }
      #expect(listed == [files.count, files.count + 1])
      try await until("nothing to be left") { rig.filesInSpool().isEmpty }
    }
  }
}

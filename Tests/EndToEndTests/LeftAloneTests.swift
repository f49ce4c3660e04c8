import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that are no documents stay in the spool, and everybody can see why.
@Suite(.slot)
struct LeftAloneTests {
  @Test func unwantedFilesStayAndAreCounted() async throws {
    try await withRig({
      $0.spoolLines = ["only = [\"*.pdf\"]", "min_size = \"4\"", "max_size = \"100\"", "scan_interval = \"1s\""]
    }) { rig in
      for (name, size) in [("empty.pdf", 0), ("small.pdf", 3), ("fits.PDF", 4), ("large.pdf", 101), ("fits.txt", 50)] {
        try rig.drop(name, Data(count: size))
      }
      try await rig.daemon.job(named: "fits.PDF", in: "registered")
      let expected: [(String, String, String)] = [
        ("empty.pdf", "empty", "the spool leaves empty files alone"),
        ("small.pdf", "too-small", "it has 3 bytes, fewer than min_size, 4"),
        ("large.pdf", "too-large", "it has 101 bytes, more than max_size, 100"),
        ("fits.txt", "not-listed", "its name matches none of those that the spool takes: *.pdf"),
      ]
      for (name, reason, words) in expected {
        let path = rig.setup.spool.appending(path: name).path
        let file = try await rig.explained(path, as: reason)
        #expect(file.detail.contains(words), "\(file)")
        let shown = try await rig.daemon.waybill("explain", path)
        #expect(shown.status == 0 && shown.output.contains(words), "\(shown)")
      }
      try await until("all to be counted") {
        let waiting = try await rig.daemon.status().spools.array.first?.waiting
        return waiting == ["empty": 1, "too-small": 1, "too-large": 1, "not-listed": 1]
      }
      let status = try await rig.daemon.waybill("status")
      #expect(status.output.contains("left alone: 1 not in only, 1 empty, 1 too small, 1 too large"), "\(status)")
      #expect(status.output.contains("Nothing waits for you."), "\(status)")
      #expect(try rig.filesLeft() == ["empty.pdf", "fits.txt", "large.pdf", "small.pdf"])

      let own = rig.folder.appending(path: "own.txt")
      try Data("content".utf8).write(to: own)
      let add = try await rig.daemon.waybill("add", own.path)
      #expect(
        add.status == 64 && add.errors.contains("documents would not take own.txt: its name matches none"), "\(add)")

      let large = rig.folder.appending(path: "own.pdf")
      try Data(count: 200).write(to: large)
      let refused = try await rig.daemon.waybill("add", "--wait", large.path)
      #expect(refused.status == 64 && refused.errors.contains("it has 200 bytes, more than max_size"), "\(refused)")

      let handle = try FileHandle(forWritingTo: rig.setup.spool.appending(path: "small.pdf"))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("more".utf8))
      try handle.close()
      #expect(try await rig.daemon.job(named: "small.pdf", in: "registered").size == 7)
    }
  }
}

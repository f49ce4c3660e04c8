import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Files that are no documents stay in the spool, and everybody can see why; a large one becomes a question.
@Suite(.slot)
struct LeftAloneTests {
  @Test func unwantedFilesStayAndLargeOnesAsk() async throws {
    try await withRig({
      $0.spoolLines = [
        "match = '(?i).*\\.pdf'", "unmatched = \"ignore\"", "max_size = \"100\"", "scan_interval = \"1s\"",
      ]
    }) { rig in
      for (name, size) in [("fits.PDF", 100), ("large.pdf", 101), ("fits.txt", 50)] {
        try rig.drop(name, Data(count: size))
      }
      try await rig.daemon.job(named: "fits.PDF", in: "registered")
      let large = try await rig.daemon.job(named: "large.pdf", in: "awaiting-confirmation")
      #expect(large.question.string?.contains("its size is 101 bytes, and max_size is 100") == true, "\(large)")
      #expect(large.error.code == "too-large")
      let path = rig.setup.spool.appending(path: "fits.txt").path
      let words = "its name does not match"
      let file = try await rig.explained(path, as: "unmatched")
      #expect(file.detail.contains(words), "\(file)")
      let shown = try await rig.daemon.waybill("explain", path)
      #expect(shown.status == 0 && shown.output.contains(words), "\(shown)")
      try await until("it to be counted") {
        try await rig.daemon.status().spools.array.first?.waiting == ["unmatched": 1]
      }
      let status = try await rig.daemon.waybill("status")
      #expect(status.output.contains("left alone: 1 not matched"), "\(status)")
      #expect(try await rig.daemon.waybill("confirm", "\(large.job)").status == 0)
      try await rig.daemon.job(named: "large.pdf", in: "registered")
      try await until("the disposals") { try rig.filesLeft() == ["fits.txt"] }
    }
  }
}

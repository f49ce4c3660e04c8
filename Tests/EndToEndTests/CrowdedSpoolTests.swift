import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// More names in a spool than the daemon has room for.
@Suite(.slot)
struct CrowdedSpoolTests {
  /// Two files with 40,000 names each, which somebody holds open: another file is sent, and the status tells.
  @Test func namesOfOpenFilesKeepNothingOut() async throws {
    try await withRig({ $0.spoolLines = ["scan_interval = \"1s\""] }) { rig in
      var writers: [FileHandle] = []
      defer { for writer in writers { try? writer.close() } }
      for file in ["a", "b"] {
        let path = rig.setup.spool.appending(path: file).path
        try #require(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
        writers.append(try #require(FileHandle(forWritingAtPath: path)))
        for number in 0..<40_000 { try #require(unsafe link(path, "\(path)-\(number)") == 0) }
      }
      try await rig.expectTold("some give way to others", remedy: "waybill explain FILE", area: "spool")
      try rig.drop("other.pdf")
      try await rig.daemon.job(named: "other.pdf", in: "registered")
      try await until("the names to be counted") {
        try await rig.daemon.status().untaken.documents.int == 80_002
      }
    }
  }
}

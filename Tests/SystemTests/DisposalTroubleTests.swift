import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// Disposals that fail, and what is told of it.
@Suite(.slot)
struct DisposalTroubleTests {
  /// Across file systems a file is copied. A kill in the midst of it leaves no second copy, and a full archive no part.
  @Test(.needs(.mount, .journald))
  func archivesOnceAcrossFileSystems() async throws {
    try await withMemoryDisk(bytes: 48 << 20) { disk in
      try await withRig(journal: true) {
        $0.spoolLines = ["after = \"archive\"", "archive = \"\(disk.url.path)\"", "scan_interval = \"1s\""]
      } _: { rig in
        func archived() throws -> [String] {
          try FileManager.default.contentsOfDirectory(atPath: disk.url.path).filter { $0 != ".filler" }.sorted()
        }
        let bytes = Data((0..<(16 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) })
        try rig.drop("large.bin", bytes)
        try await until("the copy to begin", every: .milliseconds(1)) { try !archived().isEmpty }
        try await rig.daemon.kill()
        try await rig.daemon.start()
        try await until("its end") { try rig.filesLeft() == [] }
        #expect(try archived() == ["large.bin"])
        #expect(try Data(contentsOf: disk.url.appending(path: "large.bin")) == bytes)

        try await disk.fill(leaving: 8 << 20)
        try rig.drop("next.bin", bytes)
        let problem = try await rig.journal?.entry("WAYBILL_EVENT=spool-problem")
        #expect(problem?.MESSAGE.string?.contains("next.bin") == true)
        #expect(problem?.MESSAGE.string?.contains("No space left") == true)
        #expect(try await rig.daemon.job(2).state == "registered")
        #expect(try rig.filesLeft().count == 1)
        try disk.empty()
        try await until("the next one's end") { try rig.filesLeft() == [] }
        #expect(try archived() == ["large.bin", "next.bin"])
        #expect(try await rig.journal?.entries("WAYBILL_EVENT=spool-problem").count == 1)
        #expect(try rig.sandbox.registrations().count == 2)
      }
    }
  }
}

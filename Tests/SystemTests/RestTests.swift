import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What a daemon holds while there is nothing to do.
@Suite(.slot, .needs(.noSanitizer))
struct RestTests {
  /// Most of the program's pages are read by its start alone.
  @Test func whatOnlyAStartNeedsIsGivenBack() async throws {
    try await withRig { rig in
      let pid = try rig.daemon.pid
      try await until("a quarter of the memory to be given back") {
        try ProcessFacts.bytes("VmRSS", of: pid) * 4 < ProcessFacts.bytes("VmHWM", of: pid) * 3
      }
      // It works as before.
      try await rig.drop("a.pdf", until: "registered")
    }
  }
}

import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// `mv` with several files looks at each once more after it has renamed it. A file that is claimed by then is an error to it.
@Suite(.slot)
struct MovedFilesTests {
  @Test func movesAndAdmitsThousandFiles() async throws {
    // So long that no pause of `mv` on a busy machine is longer. The default is for its next instruction.
    try await withRig({ $0.spoolLines += ["settle_renamed = \"2s\""] }) { rig in
      let paused = try await rig.daemon.waybill("pause", "--storage", "main")
      #expect(paused.status == 0, "\(paused.errors)")
      let source = try rig.folder.madeFolder("source")
      for number in 0..<1000 { try Data("\(number)".utf8).write(to: source.appending(path: "f\(number)")) }
      let move = try await Command.run([
        "bash", "-c", "mv \"$1\"/* \"$2\"/", "_", source.path, rig.setup.spool.path,
      ])
      #expect(move.status == 0 && move.errors == "", "\(move.errors.prefix(300))")
      try await until("all to be taken") { try await rig.daemon.count("queued") == 1000 }
    }
  }
}

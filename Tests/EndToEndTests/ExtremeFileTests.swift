import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Files whose numbers no honest dropper would make, in a spool in memory: times of far years, and as long as 64 bits allow.
@Suite(.slot)
struct ExtremeFileTests {
  private static let years: [(name: String, seconds: Int)] = [
    ("of-2300", 10_413_792_000), ("of-10000", 253_402_300_800), ("of-minus-1", -62_198_755_200), ("first", .min / 2),
  ]
  private static let sizes: [(name: String, size: Int)] = [
    ("largest", .max), ("eib-1", 5 << 60), ("eib-2", 5 << 60), ("six-tib", 6 << 40),
  ]

  /// Times are no matter; what is too large for the storage is a question that says so, and everything goes on after a restart.
  @Test func farTimesAndHugeSizesEndNothing() async throws {
    let folder = try TemporaryFolder(inMemory: true)
    try await withRig({ setup in
      setup.spoolFolder = folder.url
    }) { rig in
      for (name, seconds) in Self.years {
        let file = folder.url.appending(path: name)
        try Data("bytes of \(name)\n".utf8).write(to: file)
        var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        try #require(unsafe utimensat(AT_FDCWD, file.path, &times, 0) == 0)
      }
      for (name, size) in Self.sizes {
        let descriptor = unsafe open(folder.url.appending(path: name).path, O_CREAT | O_WRONLY, 0o644)
        try #require(descriptor >= 0 && ftruncate(descriptor, off_t(size)) == 0)
        close(descriptor)
      }
      for (name, _) in Self.years { try await rig.daemon.job(named: name, in: "registered") }
      for (name, _) in Self.sizes {
        let job = try await rig.daemon.job(named: name, in: "awaiting-confirmation")
        #expect(job.question.string?.contains("an object in main has at most 5 TiB: divide the file") == true, "\(job)")
      }
      try await rig.daemon.kill()
      try await rig.daemon.start()
      try await rig.drop("after.pdf", until: "registered")
      for words in [["status"], ["list"], ["show", "1"], ["ask"], ["log"], ["explain", folder.url.path]] {
        let command = try await rig.daemon.waybill(words)
        #expect(command.status < 128, "\(words): \(command)")
      }
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }
}

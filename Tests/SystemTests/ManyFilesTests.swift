import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A spool with very many files: they wait as files, and the daemon's memory is the same before, during and after. In the suite the
/// bound is of an order of magnitude; `make torture-files` and `make bench BENCH=waiting` measure.
@Suite(.slot)
struct ManyFilesTests {
  /// Set by `make torture-files`, for a release build.
  private static let asked = ProcessInfo.processInfo.environment["FILES"].flatMap { Int($0) }
  private static let count = asked ?? 5000
  private static let limit = (asked == nil ? 150 : 80) * Sanitizer.memoryFactor << 20

  @Test func memoryStaysFlatWithWaitingFiles() async throws {
    try await withRig(starting: false) { setup in
      setup.settleUnseen = "0s"
      setup.concurrency = 64
      setup.daemonLines = ["journal = \"notice\"", "history = \"0s\""]
    } _: { rig in
      try await Self.makeFiles(in: rig.setup.spool, Self.count)
      try await rig.daemon.start()
      var highest = 0
      var last = ContinuousClock.now
      var done = 0
      try await until("all to be registered", within: patience + .seconds(Self.count / 20), every: .milliseconds(250)) {
        highest = max(highest, try ProcessFacts.bytes("VmRSS", of: try rig.daemon.pid))
        done = try await rig.sandbox.count("register")
        if Self.count > 100_000, .now - last > .seconds(30) {
          print("\(done) of \(Self.count) registered, at most \(highest >> 20) MiB")
          last = .now
        }
        return done >= Self.count
      }
      try await until("the files to be gone") { try rig.filesLeft().isEmpty }
      highest = max(highest, try ProcessFacts.bytes("VmRSS", of: try rig.daemon.pid))
      #expect(highest < Self.limit, "\(highest >> 10) KiB")
      print("memory at most \(highest >> 10) KiB with \(Self.count) files")

      let tally = try await rig.sandbox.tally()
      #expect(tally == "\(Self.count) registrations, \(Self.count) ids, \(Self.count) names")
      #expect(try await rig.daemon.stop() == .exit(0))
    }
  }

  /// Empty files, by a program that makes them fast.
  private static func makeFiles(in spool: URL, _ count: Int) async throws {
    let script =
      "import os, sys\nos.chdir(sys.argv[1])\nfor i in range(int(sys.argv[2])): os.close(os.open(f'{i}', os.O_CREAT | os.O_WRONLY))"
    try await Command.require([try await Products.python.value, "-c", script, spool.path, String(count)])
  }
}

import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// A process that may open few files and connections, as in a container with `--ulimit nofile=`.
@Suite(.slot)
struct DescriptorTests {
  private static func limits(soft: Int, hard: Int) -> [String] {
    ["/bin/sh", "-c", "ulimit -S -n \(soft) && ulimit -H -n \(hard) && exec \"$@\"", "sh"]
  }

  private static func limits(of pid: Int32) throws -> [String] {
    let text = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
    guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Max open files") }) else {
      throw Missing("the limits of \(pid)")
    }
    return line.split(whereSeparator: \.isWhitespace).dropFirst(3).prefix(2).map(String.init)
  }

  /// The daemon uses what it may have. More attempts than that has room for are not begun, and everything is done all the same, at
  /// the first try.
  @Test func attemptsFitDescriptors() async throws {
    let files = 200
    try await withRig(
      faults: ["upload": ["hold": true]], prefix: Self.limits(soft: 80, hard: 256),
      {
        $0.concurrency = 512
        $0.waitForServers()
      }
    ) { rig in
      #expect(try Self.limits(of: rig.daemon.pid) == ["256", "256"])
      for number in 1...files { try rig.drop("\(number)") }
      try await until("all other files to wait") {
        let counts = try await rig.daemon.status().counts
        return counts.active.int == 96 && counts.queued.int == files - 96
      }
      try await rig.sandbox.receives("upload", 96)
      #expect(try ProcessFacts.descriptors(of: rig.daemon.pid) < 256)
      let problem =
        "concurrency = 512: at most 96 attempts are made at once, because the process may open only 256 files"
      #expect(try rig.daemon.told(problem) == 1)
      let problems = try await rig.daemon.status().problems.array.compactMap(\.what.string)
      #expect(problems.contains { $0.hasPrefix(problem) }, "\(problems)")

      try await rig.sandbox.recover()
      try await until("all files to be registered") {
        try await rig.daemon.status().counts.registered.int == files
      }
      #expect(try await rig.sandbox.count("upload") == files)
      #expect(try await rig.sandbox.count("register") == files)
    }
  }
}

import Foundation
import Testing

@testable import ChildProcesses

/// The trouble of `make test-hunt`, and the choices that it makes.
@Suite(.slot) struct HuntTests {
  @Test func seedsAreReproducibleAndDisjoint() {
    #expect(Seeds.many(3..<5) == Seeds.many(3...4) && Seeds.many(3..<5) == [3, 4].map { Seeds.run &* 1000 + $0 })
    var (one, again, other) = (Seeds.numbers(), Seeds.numbers(), Seeds.numbers(for: "another purpose"))
    let first = one.next()
    #expect(first == again.next() && first != other.next())
  }

  /// A process that is disturbed without a rest is stopped, goes on, and gets the signal of the test.
  @Test(arguments: Seeds.many(0..<4)) func stoppedProcessContinuesBeforeSignal(_ seed: UInt64)
    async throws
  {
    let child = try ChildProcess(["sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.01; echo x; done"])
    let waiter = child.disturbed(seed)
    // The number is not asked for from the child itself: it would be left alone from then on.
    try await until("it to be stopped", every: .milliseconds(1)) { try Self.state(waiter.pid) == "T" }
    let lines = child.outputText.count
    try await until("it to go on") { child.outputText.count > lines }
    child.signal(SIGTERM)
    #expect(try await child.end() == .exit(7))
    #expect(!waiter.stop(for: 0))
  }

  @Test func readingPIDResumesProcess() async throws {
    let child = try ChildProcess(["sleep", "600"])
    let waiter = child.disturbed(1)
    try await until("it to be stopped", every: .milliseconds(1)) { try Self.state(waiter.pid) == "T" }
    let pid = child.pid
    try await until("it to go on") { try Self.state(pid) != "T" }
    #expect(!waiter.stop(for: 0))
  }

  private static func state(_ pid: Int32) throws -> Substring {
    let stat = try String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
    return stat.split(separator: ") ").last?.prefix(1) ?? ""
  }
}

import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// See ``Torture``. `make torture MINUTES=60 SEED=4` has it go on for longer, or make the choices of an earlier run.
@Suite(.slot, .needs(.mount))
struct TortureTests {
  private static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  private static let seconds = number("WAYBILL_TEST_TORTURE") ?? 30

  @Test func tortureLeavesBooksBalanced() async throws {
    let seed = Self.number("SEED").map { UInt64(truncatingIfNeeded: $0) } ?? Seeds.run
    print("torture: SEED=\(seed), \(Self.seconds) s")
    try await withMemoryDisk(bytes: 96 << 20) { disk in
      try await withTorture(seed, disk) { torture in
        try await withThrowingTaskGroup { group in
          let people = [torture.live, torture.answer, torture.steer]
          let world = [torture.drop, torture.fail, torture.fillDisk, torture.setClock]
          for part in people + world { group.addTask { try await part() } }
          try await group.waitForAll()
        }
        try await torture.settle()
        #expect(torture.faults == [])
        let faults = try await torture.books.faults(at: torture.rig.daemon, torture.sandboxes)
        #expect(faults == [])
        try await report(torture)
      }
    }
  }

  private func withTorture(
    _ seed: UInt64, _ disk: MemoryDisk, _ body: (Torture) async throws -> Void
  ) async throws {
    let far = try TemporaryFolder()
    let other = try await Sandbox(in: far.url, log: "other")
    // its archive is in another file system, and not on the small disk, which it would fill for good
    let second = try TemporaryFolder(inMemory: true)
    let archive = try far.folder("archive")
    try await withRig(starting: false) { setup in
      setup.stateFolder = disk.url.appending(path: "state")
      setup.spoolFolder = disk.url.appending(path: "spool")
      setup.delays = ["100ms", "300ms"]
      setup.grace = "2s"
      setup.daemonLines = ["min_free = \"1MiB\"", "journal = \"debug\""]
      setup.storageLines = ["part_size = \"5MiB\""]
      setup.spoolLines = ["scan_interval = \"1s\""]
      setup.furtherSpools = further(setup, other, second.url, archive)
    } _: { rig in
      let places = [
        Books.Place(spool: rig.setup.spool), Books.Place(name: "second", spool: second.url, archive: archive),
      ]
      let clock = try await WallClock(in: far.url)
      try await body(
        Torture(seed: seed, seconds: Self.seconds, rig, other: other, disk: disk, clock: clock, places: places))
    }
  }

  /// A spool with destinations of its own, which archives into another file system.
  private func further(_ setup: DaemonSetup, _ other: Sandbox, _ spool: URL, _ archive: URL) -> String {
    """
    [storage.other]
    endpoint = "\(other.storage.endpoint)"
    region = "us-east-1"
    bucket = "\(other.storage.bucket)"
    access_key = { file = "\(setup.accessKeyFile.path)" }
    secret_key = { file = "\(setup.secretKeyFile.path)" }
    checksum = "crc64nvme"
    part_size = "5MiB"

    [backend.other]
    url = "\(other.backend)"

    [[spool]]
    name = "second"
    path = "\(spool.path)"
    storage = "other"
    backend = "other"
    key = "{id}/{name}"
    settle = "50ms"
    settle_unseen = "200ms"
    scan_interval = "1s"
    after = "archive"
    archive = "\(archive.path)"
    """
  }

  private func report(_ torture: Torture) async throws {
    let figures = torture.figures
    let survived = figures.text(["kills", "failpoints", "stops", "ends on a full disk"])
    let met = figures.text(["faults", "full disks", "clock jumps", "answers", "pauses", "reloads"])
    let states = Dictionary(grouping: try await torture.rig.daemon.jobs(), by: { $0.state.string ?? "" })
    let ends = states.sorted { $0.key < $1.key }.map { "\($0.value.count) \($0.key)" }.joined(separator: ", ")
    print("torture: survived \(survived)")
    print("torture: met \(met)")
    print("torture: \(torture.books.entries.count) files accounted for: \(ends)")
  }
}

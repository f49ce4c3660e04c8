import ChildProcesses
import Linux
import Seams
import Testing

@testable import Harness

/// One call on a file fails in the daemon: nothing is lost, nothing is sent twice, and the next start works. An error that may
/// pass never ends it in a way that systemd does not start again after, and one that stays is told with its file.
///
/// These are a few of all calls; `make syscalls` fails each of them (`EverySystemCallTests`). A third of them is tried, another one with
/// other seeds, all with `WAYBILL_TEST_ALL=1`.
@Suite(.slot, .needs(.failpoints))
struct CallFaultTests {
  /// A fault, and the scenario that has it.
  struct Sample: CustomTestStringConvertible {
    let scenario: CrashScenario
    let fault: CallFault
    var testDescription: String { "\(scenario), \(fault)" }

    init(_ scenario: CrashScenario, _ key: String, _ error: String, turn: Int = 1, stays: Bool = false) {
      self.scenario = scenario
      fault = CallFault(key, error, turn: turn, stays: stays)
    }
  }

  static let samples = [
    Sample(.plain, "openat:plain.pdf", "EMFILE"), Sample(.plain, "renameat2:#~plain.pdf", "EIO"),
    Sample(.plain, "fsync:.waybill", "EIO"), Sample(.plain, "fsync:ledger", "EIO", turn: 3),
    Sample(.plain, "pread:#~plain.pdf", "EIO"), Sample(.plain, "pwrite:ledger.sqlite-wal", "EIO", turn: 20),
    Sample(.plain, "unlinkat:#~plain.pdf", "ESTALE"), Sample(.plain, "getdents:spool", "EIO", stays: true),
    Sample(.parts, "pread:#~large.bin", "EIO"), Sample(.archive, "renameat2:plain.pdf", "EDQUOT"),
    Sample(.archiveElsewhere, "copy_file_range:.#", "ENOSPC"), Sample(.group, "getdents:data", "EIO", turn: 2),
    Sample(.sidecars, "renameat2:plain.pdf.json", "EIO"), Sample(.plain, "fsync:spool", "EIO"),
    Sample(.plain, "pread:ledger.sqlite-wal", "EIO", turn: 8, stays: true),
  ]

  @Test(arguments: Seeds.share(samples, of: 3))
  func failedCallLosesNothing(sample: Sample) async throws {
    try await withCrashes(sample.scenario) { run in
      let faults = try await run.faults(with: sample.fault)
      #expect(faults == [])
    }
  }

  static let ofCommands: [(LedgerTask, CallFault)] = [
    (.backup, CallFault("fsync:.copy.sqlite.#", "EIO")), (.backup, CallFault("pread:ledger.sqlite", "EIO", turn: 3)),
    (.restore, CallFault("renameat2:ledger.sqlite", "EIO")),
    (.restore, CallFault("copy_file_range:ledger.sqlite.restoring.part", "ENOSPC")),
  ]

  @Test(arguments: Seeds.share(ofCommands, of: 3))
  func commandFailureKeepsLedgerIntact(task: LedgerTask, fault: CallFault) async throws {
    try await withCrashes(.plain) { run in
      let faults = try await run.faults(of: task, with: fault)
      #expect(faults == [])
    }
  }

  /// Claims stand in the spool, and jobs are in the ledger, as a kill has left them.
  static let starts = [
    CallFault("pread:w.toml", "EIO"), CallFault("openat:w.access", "EMFILE"), CallFault("statvfs:w.state", "EIO"),
    CallFault("lock:ledger.lock", "ENOLCK"), CallFault("ftruncate:ledger.sqlite-shm", "EIO"),
    CallFault("mmap:ledger.sqlite-shm", "EIO", stays: true), CallFault("pread:ledger.sqlite-wal", "EIO", turn: 4),
    CallFault("pread:ledger.sqlite", "EIO", turn: 2), CallFault("openat:ledger.sqlite", "EMFILE"),
    CallFault("openat:spool", "ESTALE"), CallFault("lock:lock", "ENOLCK"), CallFault("getdents:.waybill", "EIO"),
    CallFault("getdents:.waybill", "EIO", stays: true), CallFault("bind:w.sock", "EIO"),
    CallFault("listen:w.sock", "EIO"), CallFault("fchmod:w.sock", "EIO"),
  ]

  @Test(arguments: Seeds.share(starts, of: 3))
  func failedStartCallBlamesNoSettings(fault: CallFault) async throws {
    try await withCrashes(.plain) { run in
      try await run.die(at: .linkCommitted)
      let faults = try await run.faults(with: fault)
      #expect(faults == [])
    }
  }
}

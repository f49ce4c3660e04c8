import ChildProcesses
import Foundation
import Glibc
import Testing

@testable import Harness

/// Disks that are full: nothing is lost, one entry says so, and it goes on by itself.
@Suite(.slot, .needs(.mount))
struct FullDiskTests {
  private func withSmallLedger(
    minFree: String, faults: JSONValue? = nil, _ body: (Rig, MemoryDisk, StatusLog) async throws -> Void
  ) async throws {
    try await withMemoryDisk(bytes: 8 << 20) { disk in
      try await withRig(
        faults: faults, journal: true, starting: false,
        {
          $0.daemonLines = ["min_free = \"\(minFree)\""]
          $0.waitForServers()
          $0.stateFolder = disk.url.appending(path: "state")
        }
      ) { rig in
        let log = try await StatusLog(in: rig.folder, control: rig.setup.socket)
        let daemon = Daemon(rig.setup, journal: rig.journal, environment: log.environment)
        try await daemon.start()
        try await body(
          Rig(folder: rig.folder, sandbox: rig.sandbox, daemon: daemon, journal: rig.journal), disk, log)
      }
    }
  }

  private func events(_ rig: Rig) async throws -> [String] {
    let problems = try await rig.journal?.entries("WAYBILL_EVENT=ledger-problem").count ?? 0
    let recoveries = try await rig.journal?.entries("WAYBILL_EVENT=ledger-recovered").count ?? 0
    return ["\(problems) problems", "\(recoveries) recoveries"]
  }

  @Test func lowSpaceStopsOnlyAdmission() async throws {
    try await withSmallLedger(minFree: "2MiB", faults: ["register": ["hold": true, "times": 1]]) {
      rig, disk, log in
      try rig.drop("a.pdf")
      try await rig.sandbox.receives("register")
      try await disk.fill(leaving: 1 << 20)
      // Nothing waits for room, and it is seen all the same.
      try await rig.expectTold("no new files are admitted", remedy: "min_free", area: "space")
      try rig.drop("b.pdf")
      try rig.drop("c.pdf")
      try await until("STATUS to say so") { try log.status()?.hasPrefix("no new files are admitted: 1") == true }
      try await until("the files to be counted") { try await rig.daemon.status().untaken["documents"].int == 2 }
      let status = try await rig.daemon.waybill("status").output
      #expect(status.contains("2 files are in the spools, not taken yet"), "\(status)")
      try await rig.sandbox.recover()
      try await rig.daemon.job(named: "a.pdf", in: "registered")
      #expect(try await rig.daemon.jobs().count == 1)
      #expect(FileManager.default.fileExists(atPath: rig.setup.spool.appending(path: "b.pdf").path))
      let problem = try await rig.journal?.entry("WAYBILL_EVENT=ledger-problem")
      #expect(problem?.PRIORITY == "3")
      #expect(problem?.MESSAGE.string?.contains("min_free is 2 MiB") == true)
      #expect(try await events(rig) == ["1 problems", "0 recoveries"])
      try disk.empty()
      for name in ["b.pdf", "c.pdf"] { try await rig.daemon.job(named: name, in: "registered") }
      try await rig.journal?.entry("WAYBILL_EVENT=ledger-recovered")
      #expect(try await events(rig) == ["1 problems", "1 recoveries"])
      try await rig.expectOver()
      #expect(try await rig.daemon.status().untaken["documents"].int == 0)
      try await until("STATUS to be as ever") { try log.status() == "idle" }
      #expect(try rig.sandbox.registrations().count == 3)
    }
  }

  /// With `min_free = "0"` nothing warns: the commit itself fails, and is tried again until there is space.
  @Test func fullLedgerHoldsResultsUntilSpace() async throws {
    try await withSmallLedger(minFree: "0", faults: ["upload": ["hold": true, "times": 4]]) { rig, disk, log in
      let names = (1...4).map { "\($0).pdf" }
      for name in names { try rig.drop(name) }
      try await rig.sandbox.receives("upload", 4)
      try await disk.fill()
      #expect(try disk.free == 0)
      try await rig.sandbox.recover()
      // Results of uploads, and new files, until a commit finds no space.
      var more = 0
      try await until("STATUS to say so", every: .milliseconds(100)) {
        if more < 200 { try rig.drop("more-\(more).pdf") }
        more += 1
        return try log.status()?.hasPrefix("no space for the ledger") == true
      }
      try await rig.journal?.entry("WAYBILL_EVENT=ledger-problem")
      #expect(try await events(rig) == ["1 problems", "0 recoveries"])
      #expect(try await rig.daemon.status().uptime.int != nil, "it still answers")
      try disk.empty()
      try await until("all to be registered") {
        try await rig.daemon.count("registered") == names.count + min(more, 200)
      }
      try await rig.journal?.entry("WAYBILL_EVENT=ledger-recovered")
      #expect(try await events(rig) == ["1 problems", "1 recoveries"])
      let registered = try rig.sandbox.registrations().compactMap(\.body.name.string)
      #expect(Set(registered).count == registered.count)
      #expect(Set(registered).isSuperset(of: names))
      try await until("the files to be gone") { try rig.filesLeft() == [] }
    }
  }

  /// A claim is a rename and needs no space; what is registered makes room.
  @Test func emptiesSpoolWithoutSpace() async throws {
    try await withMemoryDisk(bytes: 1 << 20) { disk in
      try await withRig(starting: false, { $0.spoolFolder = disk.url }) { rig in
        var count = 0
        // each takes what is left but a little, until nothing more fits
        for bytes in [400_000, 300_000, 200_000, 60_000, 20_000, 4096, 4096, 4096] where try disk.free > bytes {
          count += 1
          try Data(repeating: UInt8(count), count: bytes).write(to: disk.url.appending(path: "\(count).bin"))
        }
        try await disk.fill()
        #expect(try disk.free == 0)
        try await rig.daemon.start()
        try await until("all to be registered") { try await rig.daemon.count("registered") == count }
        let objects = try await rig.sandbox.objects()
        for line in try rig.sandbox.registrations() {
          #expect(objects[line.body.key.string ?? ""]?.sha256 == line.body.sha256)
        }
        try await until("the files to be gone") { try rig.filesLeft() == [".filler"] }
      }
    }
  }

  /// Spool and ledger share a disk that is full to the last byte, as what is registered is to be committed: its files make room.
  @Test func emptiesFullDiskOfSpoolAndLedger() async throws {
    try await withMemoryDisk(bytes: 16 << 20) { disk in
      try await withRig(faults: ["register": ["hold": true]], journal: true, starting: false) {
        $0.daemonLines = ["min_free = \"0\""]
        $0.waitForServers()
        $0.stateFolder = disk.url.appending(path: "state")
        $0.spoolFolder = disk.url.appending(path: "spool")
      } _: { rig in
        try await rig.daemon.start()
        for number in 1...4 {
          try rig.drop("\(number).bin", Data(repeating: UInt8(number), count: 1 << 20))
        }
        try await rig.sandbox.receives("register", 4)
        try await disk.fill()
        #expect(try disk.free == 0)
        try await rig.sandbox.recover()
        try await until("the files to be gone") { try rig.filesLeft() == [] }
        let problem = try await rig.journal?.entry("WAYBILL_EVENT=ledger-problem")
        #expect(problem?.MESSAGE.string?.hasSuffix("its reserve is in use") == true)
        #expect(try await rig.daemon.count("registered") == 4)
        try await rig.journal?.entry("WAYBILL_EVENT=ledger-recovered")
        #expect(FileManager.default.fileExists(atPath: disk.url.appending(path: "state/ledger.reserve").path))
      }
    }
  }
}

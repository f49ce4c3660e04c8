import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the drop-ins that are shipped as examples are for.
@Suite(.slot, .needs(.systemd))
struct DropInTests {
  @Test func readAnyFileReadsPrivateFiles() async throws {
    try await withService { rig in
      try await rig.service.start()
      try await rig.drop("private.pdf", mode: "600")
      try await rig.service.job(named: "private.pdf", in: "awaiting-confirmation")
      try await rig.service.until("StatusText", is: "1 awaiting confirmation: waybill ask")
      try await rig.machine.shippedDropIn("read-any-file", for: rig.service.unit)
      try await rig.service.systemctl("restart")
      #expect(try await rig.capabilities() == ["cap_dac_read_search", "cap_lease"])
      try await rig.machine.require("waybill", "confirm", "--all")
      try await rig.service.job(named: "private.pdf", in: "registered")
    }
  }

  /// A file that was opened for writing before anybody watched; only the kernel knows of it.
  @Test(arguments: [true, false]) func serviceUsesLeasesUnlessDisabled(_ isThere: Bool) async throws {
    try await withService({
      $0.constants["watch"] = "\"poll\""
      $0.spoolLines = ["scan_interval = \"200ms\""]
    }) { rig in
      if !isThere { try await rig.machine.shippedDropIn("no-lease", for: rig.service.unit) }
      let words = ["sh", "-c", #"exec 3> "$0/open.pdf"; echo begun >&3; echo open; read -r end; echo ended >&3"#]
      let writer = try ChildProcess(
        rig.machine.words(words + [rig.setup.spool], as: SystemdMachine.dropperName), input: .written)
      defer { writer.cut() }
      try await writer.prints("open\n")
      try await rig.service.start()
      #expect(try await rig.capabilities() == (isThere ? ["cap_lease"] : []))
      if isThere {
        try await rig.drop("a.pdf", until: "registered")
        // settle_unseen is over
        for _ in 1...3 { try await rig.service.nextScan() }
        #expect(try await rig.service.jobs().map(\.name) == ["a.pdf"])
        writer.closeInput()
      }
      try await rig.service.job(named: "open.pdf", in: "registered")
      #expect(try await rig.sandbox.objects().values.contains { $0.size == (isThere ? 12 : 6) })
    }
  }
}

extension ServiceRig {
  /// The capabilities that the daemon has.
  fileprivate func capabilities() async throws -> [String] {
    let status = try machine.read("/proc/\(try await service.pid())/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    let known: [(Int, String)] = [(2, "cap_dac_read_search"), (28, "cap_lease")]
    let named = known.filter { mask & 1 << UInt64($0.0) != 0 }.map(\.1)
    return named.count == mask.nonzeroBitCount ? named : ["\(mask)"]
  }
}

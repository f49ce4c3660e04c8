import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// What the drop-ins that are shipped as examples are for.
@Suite(.slot, .needs(.systemd))
struct DropInTests {
  @Test func changeTheDaemonsRights() async throws {
    try await withService { rig in
      try await rig.service.start()
      #expect(try await rig.capabilities() == ["cap_lease"])
      try await rig.drop("private.pdf", mode: "600")
      try await rig.service.job(named: "private.pdf", in: "awaiting-confirmation")
      try await rig.service.until("StatusText", is: "1 awaiting confirmation: waybill ask")
      try await rig.machine.shippedDropIn("read-any-file", for: rig.service.unit)
      try await rig.service.systemctl("restart")
      #expect(try await rig.capabilities() == ["cap_dac_read_search", "cap_lease"])
      try await rig.machine.require("waybill", "confirm", "--all")
      try await rig.service.job(named: "private.pdf", in: "registered")

      try await rig.machine.require("rm", "/etc/systemd/system/\(rig.service.unit).d/read-any-file.conf")
      try await rig.machine.shippedDropIn("no-lease", for: rig.service.unit)
      try await rig.service.systemctl("restart")
      #expect(try await rig.capabilities() == [])
      try await rig.drop("a.pdf", until: "registered")
    }
  }
}

extension ServiceRig {
  fileprivate func capabilities() async throws -> [String] {
    let status = try machine.read("/proc/\(try await service.pid())/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
    let mask = line?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
    let known: [(Int, String)] = [(2, "cap_dac_read_search"), (28, "cap_lease")]
    let named = known.filter { mask & 1 << UInt64($0.0) != 0 }.map(\.1)
    return named.count == mask.nonzeroBitCount ? named : ["\(mask)"]
  }
}

import ChildProcesses
import Foundation
import Testing

@testable import Harness

/// The directories that the unit may work in: each `ReadWritePaths=` is a mount of its own in it.
@Suite(.slot, .needs(.systemd))
struct ServiceMountTests {
  @Test func spoolRemountsUnderRunningService() async throws {
    // what is mounted and unmounted is heard of
    try await withService({
      $0.constants["longest_look"] = "\"1h\""
      $0.spoolLines = ["scan_interval = \"1h\""]
    }) { rig in
      let spool = rig.setup.spool
      try await rig.machine.require("mkdir", "/srv/disk")
      try await rig.machine.require("mount", "-t", "tmpfs", "disk", "/srv/disk")
      try await rig.openSpool("/srv/disk/spool")
      // nothing is to be dropped or claimed on the file system below
      try await rig.machine.require("chown", "root:root", spool)
      try await rig.machine.require("mount", "--bind", "/srv/disk/spool", spool)
      try await rig.service.start()
      try await rig.drop("a.pdf", until: "registered")
      for round in 1...2 {
        try await rig.machine.require("umount", "--lazy", spool)
        try await until("the loss to be told") {
          // that the directory below is not a spool is told too
          try await rig.service.entries("WAYBILL_EVENT=spool-problem").count {
            $0.MESSAGE.string?.contains("removed, replaced or unmounted") == true
          } == round
        }
        try await rig.drop("meanwhile \(round).pdf", in: "/srv/disk/spool")
        try await rig.machine.require("mount", "--bind", "/srv/disk/spool", spool)
        try await rig.service.job(named: "meanwhile \(round).pdf", in: "registered")
        try await rig.drop("after \(round).pdf", until: "registered")
      }
      #expect(try await rig.service.property("NRestarts") == "0")
    }
  }

  @Test func outsideSpoolNeedsNamedDropIn() async throws {
    let spool = "/home/kim/100% out"
    try await withService({ $0.spool = spool }) { rig in
      try await rig.openSpool(spool)
      try await rig.service.start()
      let entries = try await until("the problem to be told") { () -> [JSONValue]? in
        let entries = try await rig.service.entries("WAYBILL_EVENT=spool-problem")
        return entries.isEmpty ? nil : entries
      }
      #expect(entries.count == 1, "\(entries)")
      #expect(entries.first?.MESSAGE.string?.contains("ProtectHome=tmpfs") == true, "\(entries)")

      try rig.machine.write(
        "/etc/systemd/system/\(rig.service.unit).d/spool.conf",
        """
        [Unit]
        RequiresMountsFor="/home/kim/100%% out"
        [Service]
        ProtectHome=tmpfs
        BindPaths="-/home/kim/100%% out"

        """)
      try await rig.machine.require("systemctl", "daemon-reload")
      let verified = try await rig.machine.run(
        "systemd-analyze", "verify", "--man=no", "--recursive-errors=yes", rig.service.unit)
      #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified)")
      try await rig.service.systemctl("restart")
      try await rig.drop("a.pdf", until: "registered")

      // a disk that comes to be mounted there is seen by the service, as what was mounted before its start is
      try await rig.machine.require("mount", "-t", "tmpfs", "disk", spool)
      try await rig.openSpool(spool)
      try await rig.drop("b.pdf", until: "registered")
    }
  }
}

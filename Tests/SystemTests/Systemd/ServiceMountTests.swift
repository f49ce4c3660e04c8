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
}

import ChildProcesses
import ControlTesting
import ControlServer
import Testing

/// What is said of the daemon as a whole, and not of jobs: pauses, the configuration, keys.
@Suite(.slot, .bounded)
struct SteeringTests {
  @Test func reportsPausesUntilResumed() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let all = try await waybill(socket, "pause")
      #expect(all.status == 0 && all.output == "all paused by \(user)\n")
      let spool = try await waybill(socket, "pause", "--spool", "documents")
      #expect(spool.output == "spool.documents paused by \(user)\n")
      #expect(try await waybill(socket, "pause").output == "all was paused already\n")
      #expect(try await waybill(socket, "status").output.hasPrefix("all is paused, for "))
      let resumed = try await waybill(socket, "resume")
      #expect(
        resumed.output == "all resumed by \(user)\nspool.documents is still paused: waybill resume --spool documents\n")
      #expect(try await waybill(socket, "pause", "--storage", "a", "--backend", "b").status == 64)
    }
  }

  @Test func reloadReportsChangesOrExits78() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let done = try await waybill(socket, "reload")
      #expect(done.status == 0)
      #expect(
        done.output == """
          configuration reloaded: changed daemon.concurrency; added spool.b; removed backend.old; only after a restart: \
          daemon.state; 2 jobs ask, because their destination is no longer configured (the first is 7)
          see them: waybill list --error configuration

          """)
      let broken = try await waybill(socket, "reload")
      #expect(broken.status == 78 && broken.output.isEmpty)
      #expect(
        broken.errors == """
          waybill: Configuration rejected; the old one stays in use:
          waybill: w.toml:1: broken

          """)
    }
  }

  @Test func listsCredentialsInTable() async throws {
    try await withControlServer(try await jobs(1).operations) { socket in
      let list = try await waybill(socket, "status", "--long")
      #expect(
        list.output.hasSuffix(
          """

          DESTINATION   KEY         ID           FROM                              CHANGES APPLY
          storage.main  access_key  AKIDEXAMPLE  /etc/waybill/keys/s3-access-key   at once
          storage.main  secret_key  -            systemd credential s3-secret-key  after a restart

          """), "\(list)")
    }
  }
}

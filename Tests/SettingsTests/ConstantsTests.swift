import ChildProcesses
import Jobs
import Settings
import Testing

/// Constants that tests change beside a configuration.
@Suite struct ConstantsTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func fileBesideConfigurationChangesConstants() throws {
    try directory.write(
      "waybill.toml.constants",
      """
      admit_ahead = 7
      settle_open = "1s"
      connect_timeout = "2s"
      jitter = false
      storage.main.connect_timeout = "3s"
      storage.gone.connect_timeout = "4s"
      """)
    let changed = try Sample.load(Sample.smallest, in: directory)
    #expect(changed.daemon.admitAhead == 7)
    #expect(changed.spools.map(\.settleOpen) == [.seconds(1)])
    #expect(changed.storages["main"]?.connectTimeout == .seconds(3))
    #expect(changed.backends["main"]?.connectTimeout == .seconds(2))
    #expect(changed.storages["main"]?.retry.jitter == 0)
    try directory.write("waybill.toml.constants", "")
    let real = try Sample.load(Sample.smallest, in: directory)
    #expect(real.daemon.admitAhead == 10_000 && real.spools.map(\.settleOpen) == [.seconds(300)])
  }
}

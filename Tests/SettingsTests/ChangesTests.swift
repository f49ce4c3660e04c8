import ChildProcesses
import Jobs
import Linux
import Settings
import Testing

@Suite struct ChangesTests {
  /// Names its destinations, so that further ones change nothing about it.
  private static let base = Sample.smallest + "storage = \"main\"\nbackend = \"main\"\n"

  struct Row: Sendable {
    var before = ""
    var after = ""
    var added: [String] = []
    var changed: [String] = []
    var fixed: [String] = []
  }

  @Test(arguments: [
    Row(),
    Row(
      before: "[daemon]\nconcurrency = 8\nstate = \"/srv/w\"\ntimezone = \"Europe/Berlin\"\n",
      changed: ["daemon.concurrency"], fixed: ["daemon.state", "daemon.timezone"]),
    Row(
      before: """
        [daemon]
        control = "/run/w.sock"
        history = "1d"
        journal = "debug"
        min_free = "1MiB"
        fleet_user = "waybill-fleet"

        """,
      changed: [
        "daemon.min_free", "daemon.history", "daemon.journal",
        "daemon.fleet_user",
      ],
      fixed: ["daemon.control"]),
    Row(before: "[retry]\ndelays = []\n", changed: ["retry", "storage.main", "backend.main"]),
    Row(after: "priority = 5\n", changed: ["spool.documents"]),
    Row(
      after: """

        [[spool]]
        path = "/srv/b"
        storage = "main"
        backend = "other"
        [backend.other]
        url = "http://b"

        """, added: ["backend.other", "spool.b"]),
  ])
  func namesChangedSectionsAndKeys(row: Row) throws {
    let folder = try TemporaryFolder()
    let old = try Sample.load(Self.base, in: folder)
    let new = try Sample.load(row.before + Self.base + row.after, in: folder)
    let found = new.changes(from: old)
    #expect(found.added == row.added)
    #expect(found.changed == row.changed)
    #expect(found.removed.isEmpty)
    #expect(found.needsRestart == row.fixed)
    #expect(old.changes(from: new).removed == row.added, "the other way round they went")
    #expect(new.changes(from: new).isEmpty)
  }

  @Test func fixedSettingsStayUnchanged() throws {
    let folder = try TemporaryFolder()
    let old = try Sample.load("[daemon]\nstate = \"/srv/old\"\n" + Self.base, in: folder)
    let new = try Sample.load(
      "[daemon]\nstate = \"/srv/new\"\ncontrol = \"/srv/c\"\nconcurrency = 2\ntimezone = \"Europe/Berlin\"\n"
        + Self.base, in: folder)
    #expect(new.daemon.localTime == .process && old.daemon.localTime == .utc)
    let kept = new.keepingWhatIsFixed(of: old)
    #expect(kept.daemon.state == "/srv/old")
    #expect(kept.daemon.control == nil && kept.daemon.timeZone == "UTC")
    #expect(kept.daemon.concurrency == .fixed(2))
    #expect(kept.changes(from: old).needsRestart.isEmpty)
    try kept.requireLedgerOutside()
  }

  /// The ledger stays at its place until a restart, so no spool may begin around it.
  @Test func ledgerStaysOutsideOfNewSpools() throws {
    let folder = try TemporaryFolder()
    let old = try Sample.load("[daemon]\nstate = \"/srv/old/state\"\n" + Self.base, in: folder)
    let spool = "\n[[spool]]\npath = \"/srv/old\"\nstorage = \"main\"\nbackend = \"main\"\n"
    let new = try Sample.load("[daemon]\nstate = \"/srv/new\"\n" + Self.base + spool, in: folder)
    let error = #expect(throws: ConfigurationError.self) { try new.keepingWhatIsFixed(of: old).requireLedgerOutside() }
    #expect(error?.description.contains("spool.old.path: has the ledger in it, \"/srv/old/state\"") == true)
  }
}

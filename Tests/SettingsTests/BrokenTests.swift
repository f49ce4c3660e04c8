import ChildProcesses
import Settings
import Testing

@Suite struct BrokenTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test(arguments: [
    Broken(
      .line(3, "bukcet = \"documents\""),
      #"F:1: storage.main.bucket: missing; add a line like bucket = "documents""#,
      #"F:3: storage.main.bukcet: unknown key; did you mean "bucket"?"#),
    Broken(
      .after("[daemon]\nconcurency = 3"),
      #"F:11: daemon.concurency: unknown key; did you mean "concurrency"?"#),
    Broken(
      .after("[deamon]\nconcurrency = 3"),
      #"F:10: deamon: unknown key; did you mean "daemon"?"#),
    Broken(
      .after("xyzzy = 1"),
      "F:10: spool.documents.xyzzy: unknown key; the keys here are after, archive, backend, duplicates, expect_every, folders, ignore, key, link, marker, match, max_size, min_size, name, only, path, priority, recursive, scan_interval, settle, settle_renamed, settle_unseen, sidecar, sidecar_missing, sidecar_wait, storage, unmatched"
    ),
    Broken(
      .after("shared = true"),
      "F:10: spool.documents.shared: unknown key; several hosts take turns by moving the volume: see docs/failover.md"),
    Broken(
      .after("[[spools]]\npath = \"/srv/a\""),
      #"F:10: spools: unknown key; did you mean "spool"?"#),
    Broken(
      .line(4, "access_key = { fiel = \"KEYS/access\" }"),
      #"F:4: storage.main.access_key.fiel: unknown key; did you mean "file"?"#),
  ])
  func unknownKeySuggestsNearestKnown(broken: Broken) throws { try broken.check(in: directory) }

  @Test(arguments: [
    Broken(
      .after("[daemon]\nconcurrency = \"32\""),
      "F:11: daemon.concurrency: is the string \"32\" where an integer or \"auto\" belongs; "
        + "write it like concurrency = \"auto\" or concurrency = 32"),
    Broken(
      .after("[daemon]\nbandwidth = \"1KiB\""),
      #"F:11: daemon.bandwidth: is less than 16KiB a second; write at least "16KiB", or "0" for no limit"#),
    Broken(
      .after("[daemon]\nhistory = 30"),
      #"F:11: daemon.history: is the integer 30 where a duration in quotes belongs; write it like history = "30d""#),
    Broken(
      .after("[daemon]\nmin_free = 67108864"),
      #"F:11: daemon.min_free: is the integer 67108864 where a size in quotes belongs; write it like min_free = "64MiB""#
    ),
    Broken(
      .after("[daemon]\nstate = true"),
      #"F:11: daemon.state: is the boolean true where a string belongs; write it like state = "/var/lib/waybill""#),
    Broken(
      .after("[daemon]\njournal = 3"),
      #"F:11: daemon.journal: is the integer 3 where a string belongs; write it like journal = "info""#),
    Broken(
      .after("[retry]\ndelays = \"1s\""),
      #"F:11: retry.delays: is the string "1s" where an array of durations belongs; write it like delays = ["1s", "3s", "5s", "10s"]"#
    ),
    Broken(
      .after("[retry]\ndelays = [1, 3]"),
      #"F:11: retry.delays: is the integer 1 where a duration in quotes belongs; write it like delays = ["1s", "3s", "5s", "10s"]"#,
      #"F:11: retry.delays: is the integer 3 where a duration in quotes belongs; write it like delays = ["1s", "3s", "5s", "10s"]"#
    ),
    Broken(
      .after("recursive = \"no\""),
      #"F:10: spool.documents.recursive: is the string "no" where true or false belongs; write it like recursive = false"#
    ),
    Broken(
      .after("ignore = [1]"),
      #"F:10: spool.documents.ignore: has the integer 1 in it where a string belongs; write it like ignore = ["*.tmp", "*.part"]"#
    ),
    Broken(
      .after("priority = 1.5"),
      "F:10: spool.documents.priority: is the number 1.5 where an integer belongs; write it like priority = 0"),
    Broken(
      .after("settle = 1979-05-27"),
      #"F:10: spool.documents.settle: is the date 1979-05-27 where a duration in quotes belongs; write it like settle = "500ms""#
    ),
    Broken(
      .all("storage = 1"),
      "F:1: storage: is the integer 1 where a table belongs; write it like [storage.main]"),
    Broken(
      .all("daemon = \"x\""),
      #"F:1: daemon: is the string "x" where a table belongs; write it like [daemon]"#),
    Broken(
      .all("[spool]\npath = \"/srv/a\""),
      "F:1: spool: is a table where an array of tables belongs; write it like [[spool]]"),
    Broken(
      .all("spool = [1]"),
      "F:1: spool: has the integer 1 in it where a table belongs; write it like [[spool]]"),
    Broken(
      .all("[storage]\nendpoint = \"http://127.0.0.1\""),
      "F:2: storage.endpoint: is a string outside of a named storage; put it below a line [storage.main]"),
  ])
  func wrongTypeReportsExpectedType(broken: Broken) throws { try broken.check(in: directory) }

  @Test(arguments: ["[.spool]", "[[[spool]]]", "[=", "[[ # x", "  [*]"])
  func reportsUnnamedTableWithoutCrash(header: String) throws {
    let before = "[daemon]\nignored = [\n[1], # [\n'[' ]\ntext = \"\"\"\n[[[\n\"\"\"\n"
    let broken = Broken(
      .all(before + header),
      "F:8: not valid TOML: a [ at the start of a line without a name after it; a table begins like [storage.main], a spool like [[spool]]"
    )
    try broken.check(in: directory)
  }

  @Test(arguments: ["1979-05-27T:", "1:", "12:3", "1979-05-27 12:30:0x", "[1, 1979-05-27T12:30:15+]"])
  func reportsInvalidTimeWithoutCrash(value: String) throws {
    let broken = Broken(
      .all("settle = \(value)"),
      "F:1: not valid TOML: a value with a colon that is not a time; put text and durations in quotes")
    try broken.check(in: directory)
  }

  @Test(arguments: ["[\u{2028}1]", "\u{A0}\"1s\"", "[\u{0B}]", "fünf"])
  func reportsStrayCharacterWithoutCrash(value: String) throws {
    let broken = Broken(
      .all("# ü\nsettle = \(value)"),
      "F:2: not valid TOML: a character outside of quotes that is not ASCII, or a control character; it may be invisible: type the line again, with text in quotes"
    )
    try broken.check(in: directory)
  }

  @Test(arguments: ["[1, }", "[1,\n{ a = 1 }, }", "{ a = [1 }", "1]"])
  func reportsMismatchedBracketWithoutCrash(value: String) throws {
    let line = value.contains("\n") ? 2 : 1
    let broken = Broken(
      .all("ignore = \(value)"),
      "F:\(line): not valid TOML: a closing bracket without an opening one; a list is written in [ ], a table within a line in { }"
    )
    try broken.check(in: directory)
  }

  @Test(arguments: [
    Broken(
      .after("[daemon]\nconcurrency = 0"),
      "F:11: daemon.concurrency: 0 is out of range; it may be 1 to 1024"),
    Broken(
      .after("[daemon]\nconcurrency = 1025"),
      "F:11: daemon.concurrency: 1025 is out of range; it may be 1 to 1024"),
    Broken(
      .after("[daemon]\nhistory = \"200y\""),
      #"F:11: daemon.history: "200y" is out of range; it may be 0s to 100y"#),
    Broken(
      .after("[daemon]\nhistory = \"soon\""),
      #"F:11: daemon.history: "soon" is not a duration; write it like history = "30d", with the units us, ms, s, min, h, d, w"#
    ),
    Broken(
      .after("[daemon]\nmin_free = \"20MB\""),
      #"F:11: daemon.min_free: "20MB" is not a size; write it like min_free = "64MiB", with the units KiB, MiB, GiB, TiB"#
    ),
    Broken(
      .after("[daemon]\njournal = \"verbose\""),
      #"F:11: daemon.journal: "verbose" is not known; it may be "debug", "info", "notice""#),
    Broken(
      .after("[daemon]\nstate = \"var\""),
      #"F:11: daemon.state: "var" is a relative path; write the absolute path, from /"#),
    Broken(
      .after("[daemon]\nstate = \"/a/../b\""),
      #"F:11: daemon.state: "/a/../b" has a .. in it; write the path that it leads to"#),
    Broken(
      .after("[daemon]\ncontrol = \"/\(String(repeating: "s", count: 107))\""),
      "F:11: daemon.control: is longer than 107 bytes, the limit for a socket's path"),
    Broken(
      .after("[retry]\ndelays = [\n  \"1s\",\n  \"3 sex\",\n  \"1000d\",\n]"),
      #"F:13: retry.delays: "3 sex" is not a duration; write it like delays = ["1s", "3s", "5s", "10s"], with the units us, ms, s, min, h, d, w"#,
      #"F:14: retry.delays: "1000d" is out of range; it may be 0s to 30d"#),
    Broken(
      .after("[retry]\nretry_for = \"31d\""),
      #"F:11: retry.retry_for: "31d" is out of range; it may be 0s to 30d"#),
    Broken(
      .after("[retry]\nretry_for = 600"),
      #"F:11: retry.retry_for: is the integer 600 where a duration in quotes belongs; write it like retry_for = "10min""#
    ),
    Broken(
      .after("[storage.main.retry]\ndelays = []\nretry_for = \"10min\""),
      "F:12: storage.main.retry.retry_for: has no delay to repeat; name at least one in delays"),
    Broken(
      .line(7, "url = \"http://127.0.0.1\"\nhealth = \"ftp://127.0.0.1/\""),
      #"F:8: backend.main.health: is not an http or https URL; begin it with https://"#),
    Broken(
      .after("[retry]\nunavailable = \"ignore\""),
      #"F:11: retry.unavailable: "ignore" is not known; it may be "abort", "retry""#),
    Broken(
      .after("settle_unseen = \"-1s\""),
      #"F:10: spool.documents.settle_unseen: "-1s" is not a duration; write it like settle_unseen = "10s", with the units us, ms, s, min, h, d, w"#
    ),
    Broken(
      .after("scan_interval = \"0\""),
      #"F:10: spool.documents.scan_interval: "0" is out of range; it may be 100ms to 7d"#),
    Broken(
      .after("ignore = [\"a/b\"]"),
      #"F:10: spool.documents.ignore: "a/b" matches no name; a pattern is for a name, not for a path: 1 to 255 bytes, no slash"#
    ),
    Broken(
      .after("[storage.main.retry]\nunavailable = \"wait\""),
      #"F:11: storage.main.retry.unavailable: "wait" is not known; it may be "abort", "retry""#),
    Broken(
      .after("[backend.other]\nurl = \"http://127.0.0.1\"\ntimeout = \"0\""),
      #"F:12: backend.other.timeout: "0" is out of range; it may be 1ms to 1d"#),
    Broken(
      .line(2, "endpoint = \"https://s3\"\npart_size = \"1MiB\""),
      #"F:3: storage.main.part_size: "1MiB" is out of range; it may be 5MiB to 5GiB"#),
  ])
  func outOfRangeValueReportsRange(broken: Broken) throws { try broken.check(in: directory) }

  @Test(arguments: [
    Broken(
      .all(""),
      "F: no storage is configured; add [storage.main] with endpoint, bucket and keys",
      "F: no backend is configured; add [backend.main] with url",
      "F: no spool is configured; add [[spool]] with path"),
    Broken(
      .all("[storage.main]\n[backend.main]\n[[spool]]\n"),
      #"F:1: storage.main.access_key: missing; add a line like access_key = { file = "/etc/waybill/keys/s3-access-key" }"#,
      #"F:1: storage.main.bucket: missing; add a line like bucket = "documents""#,
      #"F:1: storage.main.endpoint: missing; add a line like endpoint = "https://s3.eu-central-1.amazonaws.com""#,
      #"F:1: storage.main.secret_key: missing; add a line like secret_key = { file = "/etc/waybill/keys/s3-secret-key" }"#,
      #"F:2: backend.main.url: missing; add a line like url = "https://api.example.com/documents""#,
      #"F:3: spool[1].path: missing; add a line like path = "/var/spool/waybill/documents""#),
    Broken(
      .line(2, ""),
      #"F:1: storage.main.endpoint: missing; add a line like endpoint = "https://s3.eu-central-1.amazonaws.com""#),
    Broken(
      .line(7, "url = \"\""),
      #"F:7: backend.main.url: is empty; write it like url = "https://api.example.com/documents""#),
    Broken(
      .line(9, "name = \"documents\""),
      #"F:8: spool.documents.path: missing; add a line like path = "/var/spool/waybill/documents""#),
    Broken(
      .after("storage = \"mian\""),
      #"F:10: spool.documents.storage: there is no [storage.mian]; there is "main""#),
    Broken(
      .after("backend = \"other\"\n[backend.b]\nurl = \"http://127.0.0.1\""),
      #"F:10: spool.documents.backend: there is no [backend.other]; there is "b", "main""#),
    Broken(
      .all(
        Sample.storage.replacing("main", with: "a") + "\n" + Sample.storage.replacing("main", with: "b") + "\n"
          + Sample.backend + "\n" + Sample.spool),
      #"F:13: spool.documents.storage: missing; there are several, so name one of "a", "b""#),
  ])
  func reportsMissingSettings(broken: Broken) throws { try broken.check(in: directory) }
}
